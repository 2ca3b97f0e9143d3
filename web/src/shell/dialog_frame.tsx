// SPDX-License-Identifier: Apache-2.0
// The frame of all dialogs: a title, the content, Esc closes.
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useEditor } from './context';

export function DialogFrame({
  title,
  wide = false,
  children,
}: {
  title: string;
  wide?: boolean;
  children: React.ReactNode;
}) {
  const editor = useEditor();
  const close = () => {
    editor.store.set({ dialog: null });
    setTimeout(() => document.activeElement === document.body && editor.sheet.focus(), 0);
  };
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={(open) => !open && close()}>
      <Modal className={wide ? 'modal wide' : 'modal'}>
        <Dialog>
          <header className="dialog-head">
            <Heading slot="title">{title}</Heading>
            <Button className="quiet-button" aria-label="Close" onPress={close}>
              ×
            </Button>
          </header>
          <div className="dialog-body">{children}</div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
