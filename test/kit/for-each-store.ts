/** Engines that a node can be tested on. */
export type StoreKind = 'sqlite' | 'postgres';

const NAMES: Readonly<Record<StoreKind, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

let current: StoreKind = 'sqlite';

/** The engine of the suite that runs. */
export const currentStore = (): StoreKind => current;

/** A suite that runs once on every engine: nodes that it starts have that engine's store, unless they say otherwise. */
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
