import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
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

  it('is nothing where another process empties the log between the look at its size and the one at its header', () => {
    const length = new LogLength(log);
    truncateSync(log);
    length.require();
    // The look then finds a size but no whole header, as here.
    truncateSync(log, HEADER_BYTES - 1);
    length.requireCommit();
    length.require();
    expect([length.isEmpty, statSync(log).size]).to.deep.equal([true, HEADER_BYTES - 1]);
  });

  it('must not shrink further while the log goes on', () => {
    const length = new LogLength(log);
    length.require();
    truncateSync(log, 127 * MIB);
    expect(() => length.require()).to.throw('was cut or emptied');
  });
});
