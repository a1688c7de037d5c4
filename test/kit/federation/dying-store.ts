import type { FactStore } from '../../../ports/ports.ts';

export interface Killing {
  /** The kind of feed entry that announces a newer signature. */
  readonly kind: string;
  isArmed: boolean;
  isDead: boolean;
}

/** Returns a store that refuses every write after the first one that announces a newer signature, once it is armed. */
export const dyingAfterPiece = (store: FactStore, killing: Killing): FactStore => {
  const write: FactStore['write'] = async (tenantId, work) => {
    if (killing.isDead) throw new Error('the process is gone');
    let hasAnnounced = false;
    const result = await store.write(tenantId, (transaction) =>
      work(
        overriding(transaction, 'announce', (entries) => {
          hasAnnounced ||= entries.some(({ kind }) => kind === killing.kind);
          return transaction.announce(entries);
        }),
      ),
    );
    killing.isDead ||= killing.isArmed && hasAnnounced;
    return result;
  };
  return overriding(store, 'write', write);
};

const overriding = <T extends object, K extends keyof T>(target: T, name: K, replacement: T[K]): T =>
  new Proxy(target, {
    get(_, asked) {
      if (asked === name) return replacement;
      const member = Reflect.get(target, asked);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
