import { describeFactStore } from '../../contract/fact-store-contract.ts';
import { createSealedStore } from '../../kit/sealed-store.ts';

describeFactStore('sealed SQLite', () => createSealedStore('sqlite'));
describeFactStore('sealed PostgreSQL', () => createSealedStore('postgres'));
