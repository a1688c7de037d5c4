import { type FactStore, ServiceError } from '../../ports/ports.ts';

export interface LostCommits {
  /** Returns the store, wrapped so that its commits can lose their confirmation. */
  watch(store: FactStore): FactStore;
  /** Makes the next commit of a write to this table succeed, but lose its confirmation. */
  loseNext(table: string): void;
  /** Whether the confirmation was lost. */
  readonly isLost: boolean;
}

export const createLostCommits = (): LostCommits => {
  let wanted: string | undefined;
  const noting = <T extends object>(target: T, note: () => void): T =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]): unknown => {
          if (wanted !== undefined && given[0] === wanted) note();
          return member.apply(target, given);
        };
      },
    });
  return {
    watch(store) {
      const write: FactStore['write'] = async (tenantId, work, ...rest) => {
        let touches = false;
        const note = () => {
          touches = true;
        };
        const result = await store.write(tenantId, (transaction) => work(noting(transaction, note)), ...rest);
        if (!touches) return result;
        wanted = undefined;
        throw new ServiceError('commit_unknown', 'the connection was lost while committing');
      };
      return new Proxy(store, {
        get(_, name) {
          if (name === 'write') return write;
          const member: unknown = Reflect.get(store, name);
          return typeof member === 'function' ? member.bind(store) : member;
        },
      });
    },
    loseNext(table) {
      wanted = table;
    },
    get isLost() {
      return wanted === undefined;
    },
  };
};
