import { describeFactStore } from '../../contract/fact-store-contract.ts';
import { createSealedStore } from '../../kit/sealed-store.ts';

describeFactStore('sealed SQLite', (migrations) => createSealedStore('sqlite', migrations));
describeFactStore('sealed PostgreSQL', (migrations) => createSealedStore('postgres', migrations));
