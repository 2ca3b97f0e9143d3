// SPDX-License-Identifier: Apache-2.0
// The code field, loaded when the first one is shown; until then the text itself.
import { Suspense, lazy } from 'react';
import type { CodeFieldProps } from './code_field';

const Field = lazy(() => import('./code_field'));

export function OmlField(props: CodeFieldProps) {
  return (
    <Suspense
      fallback={<div className={props.lines ? 'code code-lines' : 'code code-line'}>{props.text}</div>}
    >
      <Field {...props} />
    </Suspense>
  );
}
