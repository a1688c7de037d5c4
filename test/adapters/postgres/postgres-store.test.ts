import { describeFactStore } from '../../contract/fact-store-contract.ts';
import { createTemporaryDatabase } from './temporary-database.ts';

describeFactStore('PostgreSQL', createTemporaryDatabase);
