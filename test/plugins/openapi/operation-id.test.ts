import { expect } from 'chai';
import { operationIdOf, operationIdsOf } from '../../../plugins/openapi/operation-id.ts';

const NAMES: Readonly<Record<string, string>> = {
  'GET /': 'readRoot',
  'GET /healthz': 'readHealthz',
  'GET /.well-known/svc': 'readWellKnownSvc',
  'GET /openapi.json': 'readOpenapiJson',
  'GET /v1/openapi.json': 'getOpenapiJson',
  'GET /v1/facts': 'listFacts',
  'POST /v1/facts': 'createFact',
  'GET /v1/facts/:id': 'getFact',
  'GET /v1/facts/{id}': 'getFact',
  'POST /v1/facts/batch': 'postFactsBatch',
  'POST /v1/facts/:id/verify-cid': 'verifyFactCid',
  'GET /v1/cards/*entity_uri': 'getCard',
  'POST /v1/conflicts/*id/resolve': 'resolveConflict',
  'POST /v1/subscriptions/:id/rotate-secret': 'rotateSubscriptionSecret',
  'POST /v1/gardens/:garden/members': 'createGardenMember',
  'PATCH /v1/gardens/:garden/members/:entity_uri': 'updateGardenMember',
  'DELETE /v1/gardens/:garden': 'deleteGarden',
  'PUT /v1/agents/:agent_id/instruction-manifest': 'putAgentInstructionManifest',
  'GET /v1/synthesis': 'getSynthesis',
  'GET /v1/admin/cid-backfill/status': 'getAdminCidBackfillStatus',
  'GET /v1/policies/:id': 'getPolicy',
};

describe('the name of an operation', () => {
  for (const [route, name] of Object.entries(NAMES)) {
    it(`is ${name} for ${route}`, () => {
      const [method = '', path = ''] = route.split(' ');
      expect(operationIdOf(method, path)).to.equal(name);
    });
  }

  it('is unique, also where the rule gives two operations the same name', () => {
    const routes = [
      { method: 'GET', path: '/v1/cards/:id' },
      { method: 'GET', path: '/v1/card' },
    ];
    expect(operationIdsOf(routes)).to.deep.equal(['getCard', 'get_v1_card']);
  });
});
