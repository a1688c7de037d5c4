/** The database engines on which nodes are tested. */
export type StoreKind = 'sqlite' | 'postgres';

const NAMES: Readonly<Record<StoreKind, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

let current: StoreKind = 'sqlite';

/** Returns the engine of the running suite. */
export const currentStore = (): StoreKind => current;

/** Runs a suite once per engine; nodes that it starts use a store of that engine by default. */
export const forEachStore = (title: string, suite: (store: StoreKind) => void): void => {
  for (const kind of ['sqlite', 'postgres'] as const) {
    describe(`${title}, on ${NAMES[kind]}`, () => {
      before(() => {
        current = kind;
      });
      after(() => {
        current = 'sqlite';
      });
      suite(kind);
    });
  }
};
