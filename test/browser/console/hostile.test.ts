import { expect } from 'chai';
import type { ConsolePage } from './console-browser.ts';
import { describeConsole } from './describe-console.ts';
import { HOSTILE_TEXTS, storeHostileFacts } from './hostile-memory.ts';

/** Matches markup that would exist in the page only if a value were interpreted as HTML. */
const NESTED = 'main :is(script, img, svg:not(.chart *), b, i)';

describeConsole(
  'hostile texts in the console',
  { env: { SVC_TOMBSTONES_ENABLED: 'true', SVC_MULTI_TENANT_ENABLED: 'true' } },
  (running) => {
    before(async () => {
      await storeHostileFacts(running().served);
    });

    const { length } = HOSTILE_TEXTS;
    const names = HOSTILE_TEXTS.map((text) => text.slice(0, 500));

    const isHarmless = async ({ page, seriousFindings }: ConsolePage, address: string): Promise<void> => {
      const told = address.slice(0, 80);
      expect(await page.evaluate('window.wasRun'), told).to.equal(undefined);
      expect(await page.locator(NESTED).count(), told).to.equal(0);
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(overflow), told).to.be.at.most(1);
      expect(await seriousFindings(), told).to.deep.equal([]);
    };

    for (const [title, viewport] of [
      ['a wide screen', { width: 1_280, height: 860 }],
      ['a phone', { width: 390, height: 844 }],
    ] as const) {
      it(`are plain text on the page of each object, on ${title}`, async () => {
        const visit = await running().enter(running().served.adminKey, { viewport });
        const { facts } = (await running().served.ask('GET', '/v1/facts?limit=100&fields=id,entity,relation')).body;
        expect(facts.length).to.be.above(2 * length);
        for (const relation of ['memory:says', 'memory:diary']) {
          const found = facts.filter((fact: { relation: string }) => fact.relation === relation);
          for (const { id } of [found[0], found.at(-1)]) {
            await visit.open(`facts?id=${id}`);
            await isHarmless(visit, `facts?id=${id}`);
          }
        }
        for (const name of names) {
          const uri = encodeURIComponent(name);
          await visit.open(`entities?uri=${uri}`);
          await isHarmless(visit, `entities ${name}`);
        }
      });
    }

    it('are plain text in every address with a parameter', async () => {
      const visit = await running().enter(running().served.adminKey);
      const places = [
        'facts?entity=',
        'facts?q=',
        'recall?q=',
        'erasure?entity=',
        'instructions?agent=',
        'settings?q=',
      ];
      const ones = [
        'facts?id=',
        'gardens?garden=',
        'tenants?tenant=',
        'peers?peer=',
        'subscriptions?id=',
        'audit?source=',
      ];
      for (const place of [...places, ...ones, 'contradictions?id=', 'nowhere?x=']) {
        for (const name of names.slice(0, 2)) {
          const address = `${place}${encodeURIComponent(name)}`;
          await visit.open(address);
          await isHarmless(visit, address);
        }
      }
    });

    it('are plain text in the names of gardens, keys, tokens and tenants', async () => {
      const { ask } = running().served;
      for (const [at, name] of names.entries()) {
        const raw_key = `a-key-of-a-stranger-of-the-console-${at}`;
        const replies = [
          await ask('POST', '/v1/gardens', { name, slug: `garden-${at}`, scope: 'team', description: name }),
          await ask('POST', '/v1/auth/keys', { raw_key, entity_uri: 'agent:admin', description: name }),
          await ask('POST', '/v1/tenants', {
            id: `tenant-${at}`,
            name,
            first_key: { raw_key: `${raw_key}-of-tenant`, entity_uri: 'user:first' },
          }),
        ];
        expect(replies.map(({ status }) => status)).to.deep.equal([201, 201, 201]);
      }
      for (const viewport of [
        { width: 1_280, height: 860 },
        { width: 390, height: 844 },
      ]) {
        const visit = await running().enter(running().served.adminKey, { viewport });
        for (const address of ['gardens', 'gardens?garden=garden-6', 'keys', 'tenants', 'tenants?tenant=tenant-6']) {
          await visit.open(address);
          await isHarmless(visit, address);
        }
      }
    });
  },
);
