import { expect } from 'chai';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { ENTITY, type PeeredNode, startPeeredNode } from './peered-node.ts';

const EVERYTHING = 'include_contradicted=true&include_expired=true&include_retracted=true&limit=500';
const READS = [
  `/v1/facts?${EVERYTHING}`,
  `/v1/facts?entity=${ENTITY}`,
  '/v1/facts?relation=svc:conflict:status',
  '/v1/facts?relation=svc:conflict:between',
  '/v1/facts?relation=svc:conflict:note',
  '/v1/facts?relation=svc:resolves',
  '/v1/conflicts',
  '/v1/conflicts?status=all',
  `/v1/cards/${ENTITY}?scope=public`,
  `/v1/history/${ENTITY}`,
  '/v1/timeline',
  '/v1/lint',
  '/v1/synthesis',
];
/** More than the siblings that an append reads of a place. */
const CROWD = 100;

/** Removes ids and times, except the time of a conflict. */
const masked = (text: string): string =>
  text
    .replaceAll(/sha256:[0-9a-f]{64}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/"(?:hlc|cursor|timestamp|(?!detected)[a-z]+_at|[a-z]+_timestamp)":"[^"]*"/g, '<time>')
    .replaceAll(/"(?:age_seconds|since|until)":[\d.]+/g, '<age>');

type Story = (on: PeeredNode) => Promise<void>;

const STORIES: Readonly<Record<string, Story>> = {
  'a rival that came before the tombstone': async ({ say, sayHidden, bury }) => {
    await say('shown');
    await sayHidden('hidden');
    await bury();
  },
  'a rival that comes after the tombstone': async ({ say, sayHidden, bury }) => {
    await bury();
    await say('shown');
    await sayHidden('hidden');
  },
  'a rival that came between two visible ones': async ({ say, sayHidden, bury }) => {
    await bury();
    await say('shown');
    await sayHidden('hidden');
    await say('shown too');
  },
  'a rival that came before two visible ones': async ({ say, sayHidden, bury }) => {
    await bury();
    await sayHidden('hidden');
    await say('shown');
    await say('shown too');
    await say('and a third');
  },
  'a rival of two visible facts of which one replaces the other': async ({ say, sayHidden, bury }) => {
    await bury();
    const shown = await say('shown');
    await sayHidden('hidden');
    await say('shown too', { replaces: [shown] });
  },
  'a rival of facts that a retraction has ended': async ({ say, sayHidden, bury }) => {
    await bury();
    await say('shown');
    await sayHidden('hidden');
    await say('shown too');
    await say('none', { confidence: 0 });
    await say('later');
    await say('and a rival');
  },
  'a winner over two visible facts that contradict each other': async ({ say, sayHidden, bury }) => {
    await bury();
    await say('weak', { confidence: 0.5 });
    await sayHidden('hidden');
    await say('strong', { confidence: 0.75 });
    await sayHidden('hidden too');
    await say('weakest', { confidence: 0.25 });
  },
  'a winner that a tombstone hides later': async ({ say, sayHidden, bury }) => {
    await say('weak', { confidence: 0.5 });
    await sayHidden('hidden');
    await say('strong', { confidence: 0.75 });
    await bury();
  },
  'a rival of facts that a replacement settles': async ({ say, sayHidden, bury }) => {
    await bury();
    await sayHidden('hidden');
    const shown = [await say('shown'), await say('shown too')];
    await sayHidden('hidden too');
    await say('settled', { replaces: shown });
  },
  'a rival that a tombstone hides after a replacement has settled the others': async ({ say, sayHidden, bury }) => {
    await sayHidden('hidden');
    const shown = [await say('shown'), await say('shown too')];
    await say('settled', { replaces: shown });
    await bury();
  },
  'a rival that a tombstone hides after one visible fact replaced the other': async ({ say, sayHidden, bury }) => {
    const shown = await say('shown');
    await sayHidden('hidden');
    await say('shown too', { replaces: [shown] });
    await bury();
    await say('later');
  },
  'a rival that a tombstone hides after a visible one came': async ({ say, sayHidden, bury }) => {
    await say('shown');
    await sayHidden('hidden');
    await say('shown too');
    await sayHidden('hidden too');
    await bury();
    await say('later');
  },
  'a rival whose conflict is over, and which a second tombstone hides too': async (on) => {
    const { say, sayHidden, bury, buryAgain } = on;
    await say('shown');
    await sayHidden('hidden');
    await bury();
    await say('shown too');
    await buryAgain();
  },
  'a rival that came last, before the tombstone': async ({ say, sayHidden, bury }) => {
    await say('shown');
    await say('shown too');
    await sayHidden('hidden');
    await bury();
  },
  'a rival of a conflict that a reader resolves': async ({ say, sayHidden, bury, settle }) => {
    await bury();
    await sayHidden('hidden');
    await say('shown');
    await say('shown too');
    await settle('settled');
  },
  'a rival of facts that a retraction ended, and no replacement': async ({ say, sayHidden, bury }) => {
    const shown = await say('shown');
    await say('shown too');
    await sayHidden('hidden');
    await say('shown again', { replaces: [shown] });
    await say('none', { confidence: 0 });
    await say('later');
    await bury();
    await say('and a rival');
  },
  'a rival of a fact that came after the end of a conflict': async ({ say, sayHidden, bury }) => {
    await say('shown');
    await say('shown too');
    await say('none', { confidence: 0 });
    await bury();
    await sayHidden('hidden');
    await say('later');
  },
  'a fact that the reader repeats': async ({ say, sayHidden, bury }) => {
    await bury();
    await sayHidden('same', { source: 'agent:reader' });
    await say('same');
    await say('other');
  },
  'a crowd of rivals': async ({ say, crowdHidden, bury }) => {
    await bury();
    await say('shown', { confidence: 0.5 });
    await crowdHidden(CROWD);
    await say('shown too', { confidence: 0.25 });
  },
  'a rival that came before the visible fact': async ({ say, sayHidden, bury }) => {
    await bury();
    await sayHidden('hidden');
    await say('shown');
  },
};

forEachStore('A reader looks for a fact behind a tombstone of a peer by the facts beside it (I13)', () => {
  let on: PeeredNode | undefined;
  const stop = async () => {
    await on?.stop();
    on = undefined;
  };
  afterEach(stop);

  /** Returns the replies to the reader, without ids and times. */
  const told = async (hasHidden: boolean, story: Story): Promise<readonly string[]> => {
    const peered = await startPeeredNode(hasHidden);
    on = peered;
    await story(peered);
    const replies: string[] = [];
    for (const target of READS) {
      const { status, text, body } = await peered.node.request('GET', target, { key: peered.reader });
      replies.push(`${target} ${status} ${masked(text)}`);
      if (!target.includes('svc:')) continue;
      // Facts that the node says again have one time, and so an order by random ids.
      const facts = body.facts.map((fact: object) => masked(JSON.stringify(fact)));
      replies.splice(-1, 1, `${target} ${status} ${facts.sort().join()}`);
    }
    await stop();
    return replies;
  };

  for (const [title, story] of Object.entries(STORIES)) {
    it(`and finds no trace of ${title}`, async () => {
      const [withHidden, without] = [await told(true, story), await told(false, story)];
      for (const [at, reply] of without.entries()) expect(withHidden[at]).to.equal(reply);
    });
  }
});
