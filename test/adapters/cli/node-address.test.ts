import { resolve } from 'node:path';
import { expect } from 'chai';
import { dataFolderOf } from '../../../adapters/cli/node-address.ts';

describe('the data folder that commands look into', () => {
  it('is that of the node, also where variables end with the carriage return of a Windows line end', () => {
    for (const end of ['', '\r']) {
      expect(dataFolderOf({ SVC_DATABASE_URL: end, SVC_DB_PATH: end })).to.equal(resolve('data'));
      expect(dataFolderOf({ SVC_DATABASE_URL: end, SVC_DB_PATH: `kept/my.db${end}` })).to.equal(resolve('kept'));
      const database = { SVC_DATABASE_URL: `postgres://localhost/a${end}` };
      expect(dataFolderOf({ ...database, SVC_DATA_FOLDER: `kept${end}` })).to.equal(resolve('kept'));
      expect(dataFolderOf({ ...database, SVC_DATA_FOLDER: end })).to.equal(resolve('data'));
    }
  });
});
