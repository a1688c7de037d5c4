import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { zipSync } from 'fflate';
import { BUILTIN_FORMATS } from '../../../plugins/importers/builtin-formats.ts';
import type { ImportFormat } from '../../../plugins/importers/importers-api.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { copySamples, readImport, samplePath } from './imported-facts.ts';

const format = (id: string): ImportFormat => {
  const found = BUILTIN_FORMATS.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no format ${id}`);
  return found;
};

const CSV = ['entity=user:{id}', 'relation==memory:role', 'value=role', 'timestamp=since', 'confidence=sure?0.5'];

const SAMPLES = [
  ['mem0', 'mem0-platform.json'],
  ['mem0', 'mem0-lines.jsonl'],
  ['zep', 'zep'],
  ['letta', 'letta-legacy.af'],
  ['letta', 'letta-lists.af'],
  ['basic-memory', 'notes'],
  ['chatgpt', 'chatgpt'],
  ['claude', 'claude'],
  ['mcp-memory', 'memory.jsonl'],
  ['mcp-memory', 'read-graph.json'],
  ['csv', 'people.csv'],
] as const;

describe('an export of another product', () => {
  for (const [id, sample] of SAMPLES) {
    it(`is converted to the expected facts: ${id}, ${sample}`, async () => {
      await inTemporaryFolder(async (folder) => {
        const samples = copySamples(folder);
        const { facts, skips } = await readImport(format(id), join(samples, sample), {
          map: id === 'csv' ? CSV : [],
          offset: '+02:00',
        });
        const noted = JSON.parse(readFileSync(samplePath(`../golden/${sample.replaceAll('.', '-')}.json`), 'utf8'));
        expect({ facts, skips }).to.deep.equal(noted);
      });
    });
  }

  it('links notes by names in composed and decomposed spelling', async () => {
    await inTemporaryFolder(async (folder) => {
      await writeFile(join(folder, 'Cafe\u0301 plan.md'), 'The plan.\n');
      await writeFile(join(folder, 'list.md'), '- part_of [[CAF\u00c9 plan]]\n');
      const { facts } = await readImport(format('basic-memory'), folder);
      const link = facts.find(({ value }) => (value as { type: string }).type === 'ref');
      const note = facts.find(({ entity }) => String(entity).includes('caf'));
      expect(link?.['value']).to.deep.equal({ type: 'ref', v: note?.['entity'] });
      expect(note?.['entity']).to.equal('basic-memory:caf\u00e9-plan');
    });
  });

  it('never has two different values for one entity and relation, so its facts do not contradict', async () => {
    for (const [id, sample] of SAMPLES) {
      const { facts } = await readImport(format(id), samplePath(sample), { map: id === 'csv' ? CSV : [] });
      const values = new Map<string, string>();
      for (const { entity, relation, value } of facts) {
        const triple = `${entity} ${relation}`;
        const spelled = JSON.stringify(value);
        expect(values.get(triple) ?? spelled, `${sample}: ${triple}`).to.equal(spelled);
        values.set(triple, spelled);
      }
    }
  });

  it('gives the same facts from a zip archive with other files', async () => {
    await inTemporaryFolder(async (folder) => {
      const file = readFileSync(samplePath('chatgpt/conversations.json'));
      const zip = join(folder, 'export.zip');
      const others = { 'user.json': Buffer.from('{}'), 'chat.html': Buffer.alloc(100_000, 65) };
      await writeFile(zip, zipSync({ 'export/conversations-000.json': file, ...others }, { level: 6 }));
      const packed = await readImport(format('chatgpt'), zip);
      const plain = await readImport(format('chatgpt'), samplePath('chatgpt'));
      expect(packed.facts).to.deep.equal(plain.facts);
      const alone = await readImport(format('chatgpt'), samplePath('chatgpt/conversations.json'));
      expect(alone.facts).to.deep.equal(plain.facts);
    });
  });

  it('keeps the time offset of the export, and uses the offset of the command if it has none', async () => {
    const { facts } = await readImport(format('mem0'), samplePath('mem0-platform.json'), { offset: '-03:30' });
    expect(facts.map(({ timestamp }) => timestamp)).to.include.members([
      '2025-04-02T10:00:00.000001-07:00',
      '2025-04-03T08:00:00-03:30',
    ]);
  });

  it('may have its CSV mapping in a file', async () => {
    await inTemporaryFolder(async (folder) => {
      const mapping = join(folder, 'map.json');
      const rules = Object.fromEntries(CSV.map((word) => word.split(/=(.*)/s).slice(0, 2)));
      await writeFile(mapping, `\uFEFF${JSON.stringify(rules)}`);
      const byFile = await readImport(format('csv'), samplePath('people.csv'), { map: [mapping] });
      const byWords = await readImport(format('csv'), samplePath('people.csv'), { map: CSV });
      expect(byFile).to.deep.equal(byWords);
    });
  });
});
