import { describeFactStore } from '../../contract/fact-store-contract.ts';
import { createTemporaryStore } from './temporary-store.ts';

describeFactStore('SQLite', () => createTemporaryStore());
describeFactStore('SQLite, written by a thread', () => createTemporaryStore({ writer: 'thread' }));
