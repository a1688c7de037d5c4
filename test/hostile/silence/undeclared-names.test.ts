import { expect } from 'chai';
import fc from 'fast-check';
import { bodyText } from '../../flows/bad-input/hostile-bodies.ts';
import { rightRequest } from '../../flows/bad-input/hostile-requests.ts';
import { type NodeUnderAttack, startNodeUnderAttack } from '../../flows/bad-input/node-under-attack.ts';
import { exchange, type RawReply, type RawRequest } from '../../flows/bad-input/raw-exchange.ts';
import type { RouteRow } from '../../flows/bad-input/route-row.ts';
import { ROUTE_ROWS } from '../../flows/bad-input/route-rows.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';

const SECRET = 'a-value-that-must-never-come-back';
/** The number of tested names; each is tested on one route. */
const TRIES = Math.max(1, Math.ceil(RUNS / 100));

interface Violation {
  readonly path: string;
  readonly message: string;
}

interface Refusal {
  readonly status: number;
  readonly errors?: readonly Violation[];
}

/** Routes with a key. Routes for peers check nothing before the token, and the federation tests cover them. */
const PROTECTED = ROUTE_ROWS.filter(({ isOpen, isForPeers }) => isOpen !== true && isForPeers !== true);

/** The routes that accept a past instant. */
const PAST_TAKEN: readonly string[] = [
  'GET /v1/facts query.as_of',
  'GET /v1/facts query.valid_at',
  'GET /v1/facts/:id query.as_of',
  'GET /v1/facts/:id/provenance query.as_of',
  'GET /v1/cards/*entity_uri query.as_of',
  'GET /v1/graph/neighbors query.as_of',
  'GET /v1/recall query.as_of',
  'POST /v1/recall body.as_of',
];

/** Generates names that no route declares, with a beginning that no declared name has. */
const undeclaredNames = fc
  .tuple(fc.constantFrom('zq', '__', 'Zq-', '$'), fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 }))
  .map(([start, end]) => start + end);

const pathOf = (root: string, name: string): string =>
  /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name) ? `${root}.${name}` : `${root}[${JSON.stringify(name)}]`;

forEachStore('A caller sends an undeclared parameter (I22)', () => {
  let node: NodeUnderAttack;

  before(async () => {
    node = await startNodeUnderAttack();
  });

  after(() => node?.stop());

  const right = (row: RouteRow): RawRequest => rightRequest({ row, fixtures: node.fixtures, keys: node.keys });

  const withParameter = (row: RouteRow, name: string): RawRequest => {
    const { target, ...rest } = right(row);
    const pair = `${encodeURIComponent(name)}=${SECRET}`;
    return { ...rest, target: `${target}${target.includes('?') ? '&' : '?'}${pair}` };
  };

  const withMember = (row: RouteRow, name: string): RawRequest => {
    const member = `${JSON.stringify(name)}:${JSON.stringify(SECRET)}`;
    const whole = row.body === undefined ? '{}' : bodyText(row.body);
    const end = whole.lastIndexOf('}');
    const text = `${whole.slice(0, end)}${whole[end - 1] === '{' ? '' : ','}${member}${whole.slice(end)}`;
    const headers = row.body === undefined ? [['Content-Type', 'application/json'] as const] : [];
    const request = right(row);
    return { ...request, headers: [...request.headers, ...headers], body: Buffer.from(text) };
  };

  const refusalOf = (reply: RawReply): Refusal => {
    expect(reply.text).not.to.contain(SECRET);
    const answer = JSON.parse(reply.text) as Refusal & { readonly results?: readonly { readonly error?: Refusal }[] };
    return answer.results?.[0]?.error ?? { ...answer, status: reply.status };
  };

  const expectNamed = async (request: RawRequest, status: number, path: string): Promise<void> => {
    const before = await node.counts();
    const refusal = refusalOf(await exchange(node.port, request));
    expect(refusal.status, path).to.equal(status);
    expect(
      refusal.errors?.map((violation) => violation.path),
      path,
    ).to.include(path);
    expect(await node.counts(), path).to.deep.equal(before);
  };

  for (const row of PROTECTED) {
    it(`${row.route} refuses it by its name, and changes nothing`, () =>
      fc.assert(
        fc.asyncProperty(undeclaredNames, async (name) => {
          await expectNamed(withParameter(row, name), 400, pathOf('query', name));
          const root = row.body?.isList === true ? 'body[0]' : 'body';
          await expectNamed(withMember(row, name), 422, pathOf(root, name));
        }),
        { numRuns: TRIES },
      ));
  }

  it('a past instant is refused by every route that knows only the present, and changes nothing', async () => {
    const taken: string[] = [];
    const before = await node.counts();
    for (const row of PROTECTED) {
      for (const name of ['as_of', 'valid_at']) {
        const root = row.body?.isList === true ? 'body[0]' : 'body';
        for (const [request, path] of [
          [withParameter(row, name), `query.${name}`],
          [withMember(row, name), `${root}.${name}`],
        ] as const) {
          const { status, errors = [] } = refusalOf(await exchange(node.port, request));
          expect(status, `${row.route} ${path}`).to.be.oneOf([400, 422]);
          const message = errors.find((violation) => violation.path === path)?.message ?? 'is not refused';
          if (!message.startsWith('is not a known ')) taken.push(`${row.route} ${path}`);
        }
      }
    }
    expect(taken.sort()).to.deep.equal(PAST_TAKEN.toSorted());
    expect(await node.counts()).to.deep.equal(before);
  });

  it('the refusal of a misspelled parameter suggests the correct name', async () => {
    const faults: string[] = [];
    for (const row of PROTECTED) {
      for (const name of Object.keys(row.query ?? {}).filter((known) => /^[a-z_]{4,}$/.test(known))) {
        const refusal = refusalOf(await exchange(node.port, withParameter(row, `${name}x`)));
        const [violation] = refusal.errors ?? [];
        if (violation?.message.startsWith('is not a known parameter; did you mean ') !== true) {
          faults.push(`${row.route} ${name}: ${violation?.message}`);
        }
      }
    }
    expect(faults).to.deep.equal([]);
  });
});
