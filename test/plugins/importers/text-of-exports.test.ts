import { expect } from 'chai';
import { factsAs, json, type Read, readFiles } from './imported-facts.ts';

describe('The text encoding of an export', () => {
  const CSV = ['entity=p:{id}', 'relation==memory:name', 'value=name'];
  const table = 'id;name\n1;Müller €\n';
  const names = (whole: Read) => factsAs(whole, 'v').flat();
  const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

  for (const [what, content, encoding] of [
    ['UTF-8', table, undefined],
    ['UTF-8 with a mark', `\ufeff${table}`, undefined],
    ['UTF-16, little end first', Buffer.from(`\ufeff${table}`, 'utf16le'), undefined],
    ['UTF-16, big end first', utf16be(`\ufeff${table}`), undefined],
    ['UTF-16 without a mark', Buffer.from(table, 'utf16le'), 'utf-16le'],
    ['windows-1252', Buffer.from('id;name\n1;M\xfcller \x80\n', 'latin1'), 'windows-1252'],
    ['UTF-16 with a mark, whatever --encoding names', Buffer.from(`\ufeff${table}`, 'utf16le'), 'windows-1252'],
    ['UTF-8 below a line that names the delimiter', `sep=;\r\n${table}`, undefined],
    ['UTF-8 below a line that names an unusual delimiter', 'sep=|\nid|name\n1|Müller €\n', undefined],
  ] as const) {
    it(`is read as ${what}`, async () => {
      const options = { map: CSV, ...(encoding === undefined ? {} : { encoding }) };
      expect(names(await readFiles('csv', { 't.csv': content }, options))).to.deep.equal(['Müller €']);
    });
  }

  for (const [id, file, text] of [
    ['chatgpt', 'conversations.json', json([{ id: 'k', title: 'Grüße', mapping: {} }])],
    ['mcp-memory', 'memory.jsonl', `${json({ type: 'entity', name: 'e', entityType: 'Grüße' })}\n`],
    ['basic-memory', 'n.md', '---\ntitle: Grüße\n---\n'],
  ] as const) {
    it(`is recognised by a byte order mark, which is removed: ${file}`, async () => {
      const plain = await readFiles(id, { [file]: text });
      for (const bytes of [
        Buffer.from(`\ufeff${text}`),
        Buffer.from(`\ufeff${text}`, 'utf16le'),
        utf16be(`\ufeff${text}`),
      ]) {
        expect(factsAs(await readFiles(id, { [file]: bytes }), 'v')).to.deep.equal(factsAs(plain, 'v'));
      }
      expect(names(plain)).to.include('Grüße');
    });
  }

  for (const [what, id, file, content, encoding] of [
    ['windows-1252 in a table', 'csv', 't.csv', Buffer.from('id;name\n1;M\xfcller\n', 'latin1'), undefined],
    ['UTF-16 without a mark', 'csv', 't.csv', Buffer.from(table, 'utf16le'), undefined],
    ['windows-1252 in JSON', 'mem0', 'm.json', Buffer.from('[{"id":"a","memory":"M\xfcller"}]', 'latin1'), undefined],
    ['another encoding than the one named', 'csv', 't.csv', Buffer.from([0xff, 0xff, 0xff]), 'utf-8'],
  ] as const) {
    it(`is refused with a hint about --encoding: ${what}`, async () => {
      const error = await readFiles(id, { [file]: content }, { map: CSV, ...(encoding && { encoding }) }).catch(
        (one) => one,
      );
      expect(error).to.have.property('code', 'validation');
      expect(`${error.message} ${error.hint}`).to.contain('--encoding');
    });
  }

  it('is refused only for the note that has another encoding', async () => {
    const whole = await readFiles('basic-memory', { 'a.md': Buffer.from('M\xfcller', 'latin1'), 'b.md': 'kept' });
    expect([whole.skips.join(), names(whole).includes('kept')]).to.deep.equal([
      'a.md: a note that is larger than 8 MiB or not UTF-8; --encoding names another encoding!',
      true,
    ]);
  });
});

describe('Front matter that is not valid YAML', () => {
  for (const [what, yaml, facts] of [
    ['a second colon', 'title: Plan: phase two\ntype: note', { title: 'Plan: phase two' }],
    ['a name that comes twice', 'title: One\ntitle: Two\ntags: [a, b]', { title: 'One', tags: 'a, b' }],
    ['a name that comes twice inside a member', 'title: One\nmore: {a: 1, b: 2, a: 3}', { title: 'One' }],
    ['a tab', 'title: Plan\ntags:\n\t- a\n\t- b', { title: 'Plan', tags: 'a, b' }],
    ['a bracket that does not end', 'title: "Plan"\ntags: [a', { title: 'Plan' }],
    ['no names at all', 'only a remark', {}],
  ] as const) {
    it(`is read line by line and kept as text: ${what}`, async () => {
      const note = `---\n${yaml}\n---\n- [idea] Kept #x\n- part_of [[Whole]]\n`;
      const whole = await readFiles('basic-memory', { 'n.md': note });
      const values = Object.fromEntries(factsAs(whole, 'relation', 'v'));
      for (const [name, value] of Object.entries(facts)) expect(values[`memory:${name}`], name).to.equal(value);
      expect(values['memory:front_matter']).to.equal(yaml);
      expect(values['rel:part_of:whole']).to.equal('basic-memory:whole');
      expect(Object.values(values)).to.include('Kept #x');
      expect([whole.skips, whole.remarks.length]).to.deep.equal([[], 1]);
    });
  }
});
