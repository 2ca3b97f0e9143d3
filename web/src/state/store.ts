// SPDX-License-Identifier: Apache-2.0
// A value that components watch: set it, and those whose part changed paint again.
import { useSyncExternalStore } from 'react';

export class Store<T extends object> {
  private listeners = new Set<() => void>();
  constructor(private value: T) {}

  get(): T {
    return this.value;
  }

  set(change: Partial<T> | ((value: T) => Partial<T>)) {
    const part = typeof change === 'function' ? change(this.value) : change;
    let differs = false;
    for (const key in part) if (!Object.is(part[key], this.value[key])) differs = true;
    if (!differs) return;
    this.value = { ...this.value, ...part };
    for (const listener of [...this.listeners]) listener();
  }

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };
}

// `pick` must return something that stays the same (===) as long as nothing changed.
export function useStore<T extends object, P>(store: Store<T>, pick: (value: T) => P): P {
  return useSyncExternalStore(store.subscribe, () => pick(store.get()));
}
