import { describeFactStore } from '../../contract/fact-store-contract.ts';
import { createTemporaryStore } from './temporary-store.ts';

describeFactStore('SQLite', () => createTemporaryStore());
