import { expect } from 'chai';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { TwinNodes, type TwinRequest } from './twin-nodes.ts';

const SEED = 7;
const TURNS = 36;
/** The number of facts that are read by id. */
const NAMED = 8;
const BURIED = ['user:gone', 'user:erased'] as const;
const ENTITIES = ['user:a', 'user:b', 'User:A ', 'plain', ...BURIED] as const;
const RELATIONS = ['memory:role', 'memory:mood', 'rel:knows'] as const;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** Makes requests from one seed. They name facts that the reader sees, hidden ones, and unknown ones. */
class Requests {
  readonly #random = createSeededRandom(SEED);
  readonly #ids = [UNKNOWN];
  readonly #cids = [`sha256:${'0'.repeat(64)}`];
  readonly #conflicts = [UNKNOWN];

  remember(reply: string): void {
    for (const [, id = ''] of reply.matchAll(/"id":"([0-9a-f-]{36})"/g)) this.#ids.push(id);
    for (const [cid] of reply.matchAll(/sha256:[0-9a-f]{64}/g)) this.#cids.push(cid);
    for (const [id] of reply.matchAll(/svc:conflict:[0-9a-f-]{36}/g)) this.#conflicts.push(id);
  }

  assertion(scopes: readonly string[], members: object = {}) {
    const value = this.#oneOf([
      { type: 'string', v: this.#oneOf(['x', 'y', 'z']) },
      { type: 'string', v: this.#oneOf(['x', 'y', 'z']) },
      { type: 'ref', v: this.#oneOf(ENTITIES) },
      { type: 'null' },
    ]);
    return {
      entity: this.#oneOf(ENTITIES),
      relation: this.#oneOf(RELATIONS),
      value,
      source: this.#oneOf(['agent:s', 'agent:t']),
      scope: this.#oneOf(scopes),
      confidence: this.#oneOf([1, 1, 1, 0.5, 0]),
      ...members,
    };
  }

  write(): TwinRequest {
    const facts = '/v1/facts';
    const body = this.assertion(['local', 'team', 'company']);
    const post = (target: string, sent: unknown): TwinRequest => ({ method: 'POST', target, body: sent });
    const id = this.#oneOf(this.#ids);
    return this.#oneOf<() => TwinRequest>([
      () => post(facts, body),
      () => ({ ...post(facts, body), headers: { 'Idempotency-Key': this.#oneOf(['k1', 'k2']) } }),
      () => post(facts, { ...body, replaces: [id] }),
      () => post(facts, { ...body, derived_from: [{ fact_id: id }, this.#oneOf(this.#cids)] }),
      () => post(facts, { ...body, garden_id: this.#oneOf(['own', 'herbs', 'ward', 'none']) }),
      () => post(facts, { ...body, entity: id, relation: 'svc:ttl', value: { type: 'datetime', v: '2026-03-02' } }),
      // About one triple, because a hidden conflict would draw an id before a visible one of the same request.
      () => post(`${facts}/batch`, [body, { ...body, value: { type: 'string', v: 'other' } }]),
      () => post(`/v1/conflicts/${this.#oneOf(this.#conflicts)}/resolve`, { winning_fact_id: id }),
      () => post(`/v1/conflicts/${this.#oneOf(this.#conflicts)}/resolve`, { new_value: { type: 'string', v: 'n' } }),
      () => post(`/v1/quarantine/${id}/${this.#oneOf(['admit', 'reject'])}`, {}),
      () => post('/v1/gardens/ward/promote', { fact_id: id }),
      () => post(`${facts}/${id}/verify-cid`, {}),
    ])();
  }

  reads(): readonly string[] {
    const everything = 'include_contradicted=true&include_expired=true&include_retracted=true';
    const some = Array.from({ length: NAMED }, () => this.#oneOf(this.#ids));
    return [
      `/v1/facts?${everything}&limit=2`,
      `/v1/facts?garden_id=own&${everything}`,
      '/v1/conflicts?status=all&limit=2',
      '/v1/timeline',
      '/v1/entities/kinds',
      '/v1/lint',
      '/v1/synthesis',
      '/v1/quarantine',
      '/v1/changes?since=2026-03-02T00:00:00Z',
      ...ENTITIES.flatMap((entity) => {
        const named = encodeURIComponent(entity);
        return [`/v1/facts?entity=${named}`, `/v1/history/${named}`, `/v1/graph/neighbors?entity=${named}&depth=2`];
      }),
      ...some.flatMap((id) => [`/v1/facts/${id}`, `/v1/facts/${id}/provenance`, `/v1/facts/${id}/history`]),
    ];
  }

  #oneOf<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random.fraction() * list.length)] as T;
  }
}

const post = (target: string, body: unknown): TwinRequest => ({ method: 'POST', target, body });

/** Makes gardens and members on both nodes, and tombstones in front of facts that only one of them has. */
const prepare = async (twins: TwinNodes, requests: Requests): Promise<void> => {
  const must = async (request: TwinRequest) => expect(await twins.both('operator', request)).to.match(/^20[01] /);
  await must(post('/v1/gardens', { slug: 'own', name: 'Own', scope: 'local' }));
  await must(post('/v1/gardens', { slug: 'herbs', name: 'Herbs', scope: 'team' }));
  await must(post('/v1/gardens', { slug: 'ward', name: 'Ward', scope: 'local', quarantine: true }));
  for (const [garden, member] of [
    ['own', 'reader'],
    ['ward', 'reader'],
    ['ward', 'keeper'],
    ['herbs', 'keeper'],
  ]) {
    await must(post(`/v1/gardens/${garden}/members`, { entity_uri: `agent:${member}`, role: 'writer' }));
  }
  for (const entity of BURIED) {
    for (const relation of RELATIONS) {
      const hidden = requests.assertion(['local'], { entity, relation, confidence: 1 });
      requests.remember(await twins.hide('keeper', post('/v1/facts', hidden)));
    }
    const tombstone = await twins.both('operator', post('/v1/tombstones', { entity_uri: entity }));
    const id = /"id":"([^"]+)"/.exec(tombstone)?.[1];
    if (entity === 'user:erased') await must(post(`/v1/tombstones/${id}/erase`, { confirm: entity }));
  }
};

forEachStore('A writer probes for hidden facts with assertions, references and resolutions (I13)', () => {
  for (const mode of ['record', 'strict'] as const) {
    it(`and gets the same replies as without them, in conflict mode ${mode}`, async function () {
      this.timeout(120_000);
      const twins = await TwinNodes.start(mode);
      const requests = new Requests();
      const hidden = [
        ['keeper', ['company', 'public'], {}],
        ['keeper', ['team'], { garden_id: 'herbs' }],
        ['keeper', ['local'], { garden_id: 'ward' }],
        ['keeper', ['local'], { entity: 'user:gone' }],
        ['foreigner', ['local', 'team'], {}],
      ] as const;
      try {
        await prepare(twins, requests);
        let stored = 0;
        for (let turn = 0; turn < TURNS; turn += 1) {
          for (const [caller, scopes, members] of hidden.slice(turn % 3, (turn % 3) + 2)) {
            const reply = await twins.hide(caller, post('/v1/facts', requests.assertion(scopes, members)));
            if (reply.startsWith('201')) stored += 1;
            requests.remember(reply);
          }
          requests.remember(await twins.both('reader', requests.write()));
        }
        for (const target of requests.reads()) await twins.both('reader', { method: 'GET', target });
        expect(stored).to.be.above(TURNS / 2);
      } finally {
        await twins.stop();
      }
    });
  }
});
