import { expect } from 'chai';
import type { ServingNode } from '../../adapters/cli/spawned-program.ts';
import type { Hook } from '../../processes/webhook-hook.ts';
import { request } from './backup-place.ts';

/** Subscribes the webhook to a target with a new token. Returns the id of the subscription. */
export const subscribe = async (node: ServingNode, hook: Hook, target: string): Promise<string> => {
  const right = { issuer: 'agent:admin', subject: 'agent:admin', verb: 'subscribe', object: target };
  const token = await request(node, 'POST', '/v1/federation/capability-tokens', right);
  const created = await request(node, 'POST', '/v1/subscriptions', {
    target,
    on_change: 'webhook',
    webhook_url: hook.url,
    capability_token: token.body.token_json,
  });
  expect(created.status, JSON.stringify(created.body)).to.equal(201);
  hook.secret = created.body.secret;
  return created.body.id;
};
