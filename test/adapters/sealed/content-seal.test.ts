import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { openKeys, readKeyFile, spellKeys } from '../../../adapters/sealed/content-key-file.ts';
import { freshKeys } from '../../../adapters/sealed/content-keys.ts';
import { type ContentSeal, REDACTED_REFERENCE } from '../../../ports/ports.ts';
import { openContentSeal } from '../../kit/content-seal.ts';
import { rejection } from '../../kit/rejection.ts';
import { ALICE, BOB, newFile, PLACE, sealable, unopened } from './key-files.ts';

const CID = `sha256:${'ab'.repeat(32)}`;

describe('the seal of contents', () => {
  let seal: ContentSeal;

  beforeEach(async () => {
    seal = await (await newFile()).open();
  });

  it('gives back any text of a value, and never seals it to the same bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const sealed = seal.sealValue(ALICE, 'f1', sealable(text));
        expect(seal.openValue(ALICE, 'f1', sealed)).to.equal(text);
        expect(sealed.length).to.equal(Buffer.byteLength(text) + seal.addedBytes);
        expect(Buffer.from(sealed).equals(seal.sealValue(ALICE, 'f1', sealable(text)))).to.equal(false);
      }),
    );
  });

  it('opens a value only for its own fact, entity, scope and tenant', () => {
    const sealed = seal.sealValue(ALICE, 'f1', sealable('tea'));
    unopened(() => seal.openValue(ALICE, 'f2', sealed));
    unopened(() => seal.openValue(BOB, 'f1', sealed));
    unopened(() => seal.openValue({ ...ALICE, scope: 'team' }, 'f1', sealed));
    unopened(() => seal.openValue({ ...ALICE, tenantId: 'other' }, 'f1', sealed));
  });

  it('refuses each changed byte, and each cut', () => {
    const sealed = Buffer.from(seal.sealValue(ALICE, 'f1', sealable('tea')));
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8((changed.readUInt8(at) + 1) % 256, at);
      unopened(() => seal.openValue(ALICE, 'f1', changed));
      unopened(() => seal.openValue(ALICE, 'f1', sealed.subarray(0, at)));
    }
  });

  it('hides a salt in as many bytes, which the header of the value opens', () => {
    const salt = randomBytes(16);
    const hidden = seal.sealSalt(ALICE, 'f1', salt);
    const header = seal.sealValue(ALICE, 'f1', sealable('tea')).subarray(0, seal.headerBytes);
    expect(hidden).to.have.length(16).and.not.deep.equal(salt);
    expect(Buffer.from(seal.openSalt(ALICE, 'f1', hidden, header)).equals(salt)).to.equal(true);
    // Equal salts must not show which facts have them, and a salt that was moved gives another one.
    expect(seal.sealSalt(ALICE, 'f2', salt)).to.not.deep.equal(hidden);
    expect(Buffer.from(seal.openSalt(ALICE, 'f2', hidden, header)).equals(salt)).to.equal(false);
    expect(() => seal.sealSalt(ALICE, 'f1', salt.subarray(1))).to.throw(RangeError);
  });

  it('gives a content id another one of the same form, one for each tenant, and leaves the redacted reference', () => {
    const hidden = seal.hideContentId('default', CID);
    expect(hidden)
      .to.match(/^sha256:[0-9a-f]{64}$/)
      .and.not.equal(CID);
    expect(seal.hideContentId('default', CID)).to.equal(hidden);
    expect(seal.hideContentId('other', CID)).to.not.equal(hidden);
    expect(seal.showContentId('default', hidden)).to.equal(CID);
    expect(seal.hideContentId('default', REDACTED_REFERENCE)).to.equal(REDACTED_REFERENCE);
    expect(seal.showContentId('default', REDACTED_REFERENCE)).to.equal(REDACTED_REFERENCE);
  });

  it('gives equal value keys of one subject equal digests, and those of another one other digests', () => {
    const digest = seal.digestOf(ALICE, 's:tea');
    expect(digest).to.match(/^k:[\w-]{22}$/);
    expect(seal.digestOf(ALICE, 's:tea')).to.equal(digest);
    expect(seal.digestOf(ALICE, 's:coffee')).to.not.equal(digest);
    expect(seal.digestOf(BOB, 's:tea')).to.not.equal(digest);
  });

  it('opens a sealed text in its own place only, and returns a text from before as it is', () => {
    const sealed = seal.sealText(PLACE, 'a reply');
    expect(sealed).to.not.contain('reply').and.not.equal(seal.sealText(PLACE, 'a reply'));
    expect(seal.openText(PLACE, sealed)).to.equal('a reply');
    for (const place of [{ tenantId: 'other' }, { table: 'x' }, { column: 'x' }, { row: '8' }]) {
      unopened(() => seal.openText({ ...PLACE, ...place }, sealed));
    }
    unopened(() => seal.openText(PLACE, `${sealed.slice(0, -4)}AAAA`));
    expect(seal.openText(PLACE, '{"from":"before"}')).to.equal('{"from":"before"}');
  });

  it('hides equal texts of a column in equal texts, which open in that column only', () => {
    const hidden = seal.hideText(PLACE, 'user:bob');
    expect(seal.hideText({ ...PLACE }, 'user:bob')).to.equal(hidden);
    expect(seal.hideText(PLACE, 'user:eve')).to.not.equal(hidden);
    expect(seal.showText(PLACE, hidden)).to.equal('user:bob');
    expect(seal.showText(PLACE, 'user:bob')).to.equal('user:bob');
    unopened(() => seal.showText({ ...PLACE, column: 'x' }, hidden));
    unopened(() => seal.showText(PLACE, `${hidden}AAAA`));
  });

  it('hides and shows texts of any length, and shows none of which a byte was changed', () => {
    const column = { tenantId: 'default', table: 't', column: 'c' };
    for (const length of [0, 1, 31, 32, 33, 200]) {
      const text = 'x'.repeat(length);
      const hidden = seal.hideText(column, text);
      expect(seal.showText(column, hidden)).to.equal(text);
      const mark = 'hidden:1:';
      const bytes = Buffer.from(hidden.slice(mark.length), 'base64url');
      bytes.writeUInt8((bytes.readUInt8(bytes.length - 1) + 1) % 256, bytes.length - 1);
      unopened(() => seal.showText(column, mark + bytes.toString('base64url')));
    }
  });

  it('seals bytes for one place, of the node or of a tenant', () => {
    for (const tenantId of [null, 'default']) {
      const place = { tenantId, name: 'index' };
      const sealed = seal.sealBytes(place, Buffer.from('words'));
      expect(Buffer.from(seal.openBytes(place, sealed)).toString()).to.equal('words');
      unopened(() => seal.openBytes({ ...place, name: 'other' }, sealed));
      unopened(() => seal.openBytes({ ...place, tenantId: 'other' }, sealed));
    }
  });
});

describe('destroyed keys of contents', () => {
  it('open nothing again, neither from the memory nor from the file, while all other contents open', async () => {
    const file = await newFile();
    const seal = await file.open();
    const [alices, bobs] = [seal.sealValue(ALICE, 'f1', sealable('tea')), seal.sealValue(BOB, 'f2', sealable('rye'))];
    const [salt, digest] = [seal.sealSalt(ALICE, 'f1', randomBytes(16)), seal.digestOf(ALICE, 's:tea')];
    await seal.destroy([{ ...ALICE, generation: 0, isWhole: true }]);
    for (const one of [seal, await file.open()]) {
      unopened(() => one.openValue(ALICE, 'f1', alices));
      unopened(() => one.openSalt(ALICE, 'f1', salt, alices));
      expect(one.digestOf(ALICE, 's:tea')).to.not.equal(digest);
      expect(one.openValue(BOB, 'f2', bobs)).to.equal('rye');
      expect(one.version).to.equal(2);
    }
  });

  it('take the texts and bytes about their entity along, which name their key by themselves', async () => {
    const file = await newFile();
    const seal = await file.open();
    const bytes = { tenantId: 'default', name: 'vectors' };
    const text = seal.sealText({ ...PLACE, owner: ALICE }, 'likes tea');
    const code = seal.sealBytes({ ...bytes, owner: ALICE }, Buffer.from('tea'));
    const bobs = seal.sealText({ ...PLACE, owner: BOB }, 'likes rye');
    expect(seal.openText(PLACE, text)).to.equal('likes tea');
    expect(Buffer.from(seal.openBytes(bytes, code)).toString()).to.equal('tea');
    unopened(() => seal.openText({ ...PLACE, tenantId: 'other' }, text));
    await seal.destroy([{ ...ALICE, generation: 0, isWhole: true }]);
    for (const one of [seal, await file.open()]) {
      unopened(() => one.openText(PLACE, text));
      unopened(() => one.openBytes(bytes, code));
      expect(one.openText(PLACE, bobs)).to.equal('likes rye');
    }
    expect(seal.openText(PLACE, seal.sealText({ ...PLACE, owner: ALICE }, 'cocoa'))).to.equal('cocoa');
  });

  it('are followed by keys that open later contents', async () => {
    const seal = await (await newFile()).open();
    await seal.destroy([{ ...ALICE, generation: 0, isWhole: true }]);
    expect(seal.generationOf(ALICE)).to.equal(1);
    const later = seal.sealValue(ALICE, 'f3', sealable('cocoa'));
    expect(seal.generationIn(later)).to.equal(1);
    expect(seal.openValue(ALICE, 'f3', later)).to.equal('cocoa');
  });

  it('leave the digests as they are while facts of the subject are left', async () => {
    const seal = await (await newFile()).open();
    const digest = seal.digestOf(ALICE, 's:tea');
    await seal.destroy([{ ...ALICE, generation: 0, isWhole: false }]);
    expect(seal.digestOf(ALICE, 's:tea')).to.equal(digest);
  });

  it('are destroyed once, however often a caller asks', async () => {
    const seal = await (await newFile()).open();
    const doomed = [{ ...ALICE, generation: 0, isWhole: true }];
    await seal.destroy(doomed);
    const digest = seal.digestOf(ALICE, 's:tea');
    await seal.destroy(doomed);
    expect([seal.generationOf(ALICE), seal.version, seal.digestOf(ALICE, 's:tea')]).to.deep.equal([1, 2, digest]);
  });

  it('take a whole tenant with them', async () => {
    const seal = await (await newFile()).open();
    const [gone, left] = [seal.sealText(PLACE, 'gone'), seal.sealText({ ...PLACE, tenantId: 'other' }, 'left')];
    const bytes = seal.sealBytes({ tenantId: 'default', name: 'vectors' }, Buffer.from('gone'));
    await seal.destroyTenant('default');
    await seal.destroyTenant('default');
    unopened(() => seal.openText(PLACE, gone));
    unopened(() => seal.openBytes({ tenantId: 'default', name: 'vectors' }, bytes));
    expect(seal.openText({ ...PLACE, tenantId: 'other' }, left)).to.equal('left');
    expect(seal.version).to.equal(2);
  });

  it('stay destroyed when another process with an older memory destroys others', async () => {
    const file = await newFile();
    const [one, other] = [await file.open(), await file.open()];
    const [alices, bobs] = [one.sealValue(ALICE, 'f1', sealable('tea')), one.sealValue(BOB, 'f2', sealable('rye'))];
    await one.destroy([{ ...ALICE, generation: 0, isWhole: true }]);
    await other.destroy([{ ...BOB, generation: 0, isWhole: true }]);
    const third = await file.open();
    unopened(() => third.openValue(ALICE, 'f1', alices));
    unopened(() => third.openValue(BOB, 'f2', bobs));
  });

  it('reach another process as soon as it refreshes', async () => {
    const file = await newFile();
    const [one, other] = [await file.open(), await file.open()];
    await one.destroy([{ ...ALICE, generation: 0, isWhole: true }]);
    expect(other.generationOf(ALICE)).to.equal(0);
    await other.refresh(2);
    expect(other.generationOf(ALICE)).to.equal(1);
    expect(await rejection(other.refresh(3))).to.have.property('code', 'unavailable');
  });

  it('do not come back with an older file, or with that of another store, that somebody puts back', async () => {
    const file = await newFile();
    const seal = await file.open();
    const older = (await readKeyFile(file.path)) ?? '';
    const alices = seal.sealValue(ALICE, 'f1', sealable('tea'));
    await seal.destroy([{ ...ALICE, generation: 0, isWhole: true }]);
    const foreign = await spellKeys({ ...freshKeys(), version: 9 }, file.source);
    for (const text of [older, foreign]) {
      await writeFile(file.path, text);
      const refused = await rejection(seal.destroy([{ ...BOB, generation: 0, isWhole: true }]));
      expect(refused).to.have.property('code', 'unavailable');
      expect(await rejection(seal.refresh(9))).to.have.property('code', 'unavailable');
      unopened(() => seal.openValue(ALICE, 'f1', alices));
    }
  });

  it('leave the copies of the file when these are replaced', async () => {
    const { path, source } = await newFile();
    const texts: string[] = [];
    const replaceCopies = async (text: string): Promise<readonly string[]> => {
      texts.push(text);
      return ['a copy is out of reach'];
    };
    const seal = await openContentSeal({ path, source, replaceCopies });
    await seal.destroy([{ ...ALICE, generation: 0, isWhole: true }]);
    expect(await seal.replaceCopies()).to.deep.equal(['a copy is out of reach']);
    const copies = await Promise.all(texts.map((text) => openKeys(text, source, 'copy')));
    expect(copies.map(({ version }) => version)).to.deep.equal([2]);
  });
});
