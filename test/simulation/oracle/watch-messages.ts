import type { Scope } from '../../../kernel/plugin-api.ts';
import { SECRET } from '../workload/said-facts.ts';
import type { Grants } from '../world/grants.ts';
import type { Party } from '../world/party.ts';
import type { Exchange } from '../world/virtual-network.ts';
import { holds } from './violation.ts';

interface Parts {
  readonly parties: readonly Party[];
  readonly grants: Grants;
  /** Collects every fact that an origin served, in its original form. */
  readonly served: Map<string, ServedFact>;
}

/** A fact as sent over the network. */
export interface ServedFact {
  readonly id: string;
  readonly scope: Scope;
  readonly relation: string;
  readonly origin_node_id?: string;
}

/** Matches facts of scope company, which only peers with a grant may receive. */
const COMPANY = /"company"/;

/** Matches members that a node must never send to peers. */
const BOOKKEEPING = /"(received_from|garden_id|contradicted|attested|source_trust|warnings)"/;

/** Inspects every message between machines: secret facts leave no node, and no token is accepted twice. */
export const watchMessages = ({ parties, grants, served }: Parts): ((exchange: Exchange) => void) => {
  const spent = new Map<string, number>();
  const partyAt = (url: string): Party | undefined => parties.find((party) => party.url === url);
  const checkToken = ({ to, request, status }: Exchange): void => {
    const [, token] = request.headers?.find(([name]) => name.toLowerCase() === 'authorization') ?? [];
    const server = partyAt(to);
    if (token === undefined || server === undefined || (status !== 200 && status !== 202)) return;
    const name = `${to} ${token}`;
    // A restored store does not know the tokens that it accepted after the copy was made.
    holds('I15', spent.get(name) !== server.restores, () => `${server.name} accepted a token twice`);
    spent.set(name, server.restores);
  };
  const checkWords = ({ from, to }: Exchange, text: string): void => {
    const secret = SECRET.exec(text)?.[0];
    holds('I9', secret === undefined, () => `${secret} went from ${to} to ${from}`);
  };
  return (exchange) => {
    const { from, to, request, receivedMs, status, body } = exchange;
    const giver = partyAt(to);
    if (giver === undefined) return;
    checkToken(exchange);
    holds('I20', status < 500 || status === 503, () => `${giver.name} replied ${status} to ${request.target}`);
    const text = Buffer.from(body).toString();
    checkWords(exchange, text);
    if (!request.target.startsWith('/v1/federation/facts?') || status !== 200) return;
    const bookkeeping = BOOKKEEPING.exec(text)?.[0];
    holds('I9', bookkeeping === undefined, () => `${giver.name} sent ${bookkeeping}`);
    const taker = partyAt(from);
    holds('I9', taker !== undefined || !COMPANY.test(text), () => `${giver.name} sent company facts to a stranger`);
    for (const fact of (JSON.parse(text) as { facts: readonly ServedFact[] }).facts) {
      holds('I9', !/^svc:(?!\/\/)/.test(fact.relation), () => `${giver.name} sent the system fact ${fact.id}`);
      const { origin_node_id: origin = giver.nodeId } = fact;
      const isOwn = origin === giver.nodeId;
      if (isOwn) served.set(fact.id, { ...fact, origin_node_id: origin });
      // A node may have lost its facts, and gets them back.
      if (origin === taker?.nodeId) continue;
      holds('I9', isOwn || fact.scope === 'public', () => `${giver.name} passed the company fact ${fact.id} on`);
      if (taker === undefined) continue;
      const may = grants.mayGive(giver, taker, fact.scope, receivedMs);
      holds('I9', may, () => `${giver.name} sent the ${fact.scope} fact ${fact.id} to ${taker.name} without a grant`);
    }
  };
};
