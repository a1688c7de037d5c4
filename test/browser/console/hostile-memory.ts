import type { ServedNode } from '../../kit/start-served-node.ts';

const RIGHT_TO_LEFT = '\u202e';
const MEBIBYTE = 1_024 * 1_024;

/** Hostile texts for the console: markup, changes of text direction, and very long text. */
export const HOSTILE_TEXTS: readonly string[] = [
  '<script>window.wasRun = true</script>',
  '<img src=x onerror="window.wasRun = true">',
  '"><svg onload=window.wasRun=true>',
  'javascript:window.wasRun=true',
  `invoice${RIGHT_TO_LEFT}fdp.exe`,
  '{count} {entity} {{constructor}} %s',
  `${'W'.repeat(2_000)} ${'long '.repeat(2_000)}`,
];

/** The number of stored facts. */
export const MANY = process.env['SVC_TEST_LONG'] === '1' ? 100_000 : 10_000;
const BATCH = 1_000;

/** Stores hostile texts in every field that a screen shows, including two contradictions. */
export const storeHostileFacts = async ({ ask }: ServedNode): Promise<void> => {
  const assert = async (fact: object): Promise<void> => {
    const { status, body } = await ask('POST', '/v1/facts', { scope: 'team', confidence: 0.9, ...fact });
    if (status !== 201) throw new Error(JSON.stringify(body));
  };
  for (const [at, text] of HOSTILE_TEXTS.entries()) {
    const name = text.slice(0, 500);
    await assert({ entity: name, relation: 'memory:says', value: { type: 'string', v: text }, source: name });
    await assert({
      entity: name,
      relation: 'memory:says',
      value: { type: 'text', v: `other ${at}` },
      source: 'agent:other',
    });
    await assert({ entity: name, relation: 'memory:knows', value: { type: 'ref', v: 'user:mallory' }, source: name });
  }
  await assert({
    entity: 'user:mallory',
    relation: 'memory:diary',
    value: { type: 'text', v: 'x<b>'.repeat(MEBIBYTE / 4) },
    source: 'user:mallory',
  });
};

/** Stores `MANY` facts. */
export const storeManyFacts = async ({ ask }: ServedNode): Promise<void> => {
  for (let from = 0; from < MANY; from += BATCH) {
    const facts = Array.from({ length: BATCH }, (_, at) => ({
      entity: `user:number-${(from + at) % 5_000}`,
      relation: `memory:note-${Math.floor((from + at) / 5_000)}`,
      value: { type: 'string', v: `note ${from + at}` },
      source: `agent:scribe-${at % 7}`,
      scope: 'team',
    }));
    const { status, body } = await ask('POST', '/v1/facts/batch', facts);
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
};
