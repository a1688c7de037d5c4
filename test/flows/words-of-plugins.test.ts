import { expect } from 'chai';
import { defineOwnPlugin } from '../../kernel/internal-api.ts';
import {
  defineErrorCode,
  defineFactMark,
  definePermission,
  objectOf,
  readAnnotate,
  ServiceError,
  STRING_JSON,
  withMark,
} from '../../kernel/plugin-api.ts';
import { AuditLog, defineAuditEvent } from '../../plugins/audit/audit-api.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';

const PAINT = definePermission('paint', { summary: 'choose colours' });
const NO_SUCH_COLOUR = defineErrorCode('no_such_colour', { status: 409, summary: 'the colour is unknown' });
const PAINTED = defineAuditEvent('painted', { summary: 'somebody chose a colour' });
const COLOUR = defineFactMark<string>('painter.colour', {
  summary: 'the colour of a fact',
  members: { colour: STRING_JSON },
  optional: ['colour'],
  toJson: (colour) => ({ colour }),
});

/** A third-party plugin, which changes no file of the node. */
const painter = defineOwnPlugin({
  name: 'painter',
  requires: { audit: AuditLog },
  declares: [PAINT, NO_SUCH_COLOUR, PAINTED, COLOUR],
  setup({ use, on, route }) {
    let chosen: string | undefined;
    on(readAnnotate, (views) => {
      const colour = chosen;
      return colour === undefined ? views : views.map((view) => withMark(view, COLOUR, colour));
    });
    route({
      method: 'POST',
      path: '/v1/colours/:colour',
      summary: 'Chooses a colour',
      access: { permission: PAINT },
      bodyForm: 'none',
      answers: { 200: { json: objectOf({ colour: STRING_JSON }) } },
      async handle({ caller, path }) {
        const colour = path.split('/').at(-1) ?? '';
        if (colour !== 'red') throw new ServiceError(NO_SUCH_COLOUR, 'there is no such colour: choose red');
        chosen = colour;
        const { tenantId, entityUri } = caller;
        await use.audit.record({ event: PAINTED, tenantId, entityUri });
        return { status: 200, body: { colour } };
      },
    });
  },
});

forEachStore('a plugin with its own vocabulary', () => {
  let node: TestNode;
  before(async () => {
    node = await startTestNode({ plugins: ['keys', 'audit', 'facts', painter] });
  });
  after(() => node.stop());

  it('adds a permission, an error, an audit event and a member of facts', async () => {
    const admin = await node.addKey({ permissions: ['read', 'write', 'admin', 'audit.read', 'paint'] });
    const key = 'painter'.padEnd(40, '0');
    const registration = { raw_key: key, entity_uri: 'agent:painter', permissions: ['read', 'paint'] };
    expect((await node.request('POST', '/v1/auth/keys', { key: admin, body: registration })).status).to.equal(201);
    const reader = await node.addKey({ permissions: ['read'] });
    const paint = (colour: string, as: string) => node.request('POST', `/v1/colours/${colour}`, { key: as });

    const value = { type: 'string', v: 'sky' };
    const body = { entity: 'user:alice', relation: 'likes:what', value, source: 'agent:x' };
    const { body: stored } = await node.request('POST', '/v1/facts', { key: admin, body });
    expect(stored).not.to.have.property('colour');

    expect((await paint('red', reader)).status).to.equal(403);
    const refused = await paint('plaid', key);
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'no_such_colour']);
    expect((await paint('red', key)).status).to.equal(200);

    const { body: fact } = await node.request('GET', `/v1/facts/${stored.id}`, { key: reader });
    expect(fact).to.include({ id: stored.id, colour: 'red' });
    expect(Object.keys(fact).at(-1)).to.equal('colour');
    const { body: log } = await node.request('GET', '/v1/auth/audit?event_type=painted', { key: admin });
    expect(log.entries).to.have.length(1);
    expect(log.entries[0]).to.include({ event_type: 'painted', entity_uri: 'agent:painter' });
  });
});
