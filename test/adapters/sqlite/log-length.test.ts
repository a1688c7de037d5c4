import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { LogLength } from '../../../adapters/sqlite/log-length.ts';

const MIB = 2 ** 20;
const HEADER_BYTES = 32;
const MAGIC = 0x377f0682;

describe('The length of the log of an SQLite store', () => {
  let folder: string;
  let log: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'log-length-'));
    log = join(folder, 'facts.db-wal');
    const header = Buffer.alloc(HEADER_BYTES, 7);
    header.writeUInt32BE(MAGIC);
    writeFileSync(log, header);
    truncateSync(log, 160 * MIB);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('may shrink to what SQLite keeps of a long log, by the commit that begins it anew', () => {
    const length = new LogLength(log);
    length.require();
    truncateSync(log, 128 * MIB);
    length.require();
    expect(length.bytes).to.equal(128 * MIB);
  });

  it('must not shrink further while the log goes on', () => {
    const length = new LogLength(log);
    length.require();
    truncateSync(log, 127 * MIB);
    expect(() => length.require()).to.throw('was cut or emptied');
  });
});
