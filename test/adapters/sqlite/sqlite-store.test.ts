import { describeFactStore } from '../../contract/fact-store-contract.ts';
import { createTemporaryStore, SQLITE_LAYOUTS } from './temporary-store.ts';

for (const writer of SQLITE_LAYOUTS) {
  describeFactStore(`SQLite, written ${writer}`, (migrations) => createTemporaryStore({ writer }, migrations));
}
