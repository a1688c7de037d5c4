import type { Scope } from '../../../kernel/plugin-api.ts';
import { COMPANY, SECRET } from '../workload/said-facts.ts';
import type { Grants } from '../world/grants.ts';
import type { Party } from '../world/party.ts';
import type { Exchange } from '../world/virtual-network.ts';
import { holds } from './violation.ts';

interface Parts {
  readonly parties: readonly Party[];
  readonly grants: Grants;
}

/** Marks of what a node keeps for itself. */
const BOOKKEEPING = /"(received_from|garden_id|contradicted|attested|source_trust|warnings)"/;

/** Reads every message between machines: what must not leave a node does not, and no token serves twice. */
export const watchMessages = ({ parties, grants }: Parts): ((exchange: Exchange) => void) => {
  const spent = new Map<string, number>();
  const partyAt = (url: string): Party | undefined => parties.find((party) => party.url === url);
  const checkToken = ({ to, request, status }: Exchange): void => {
    const [, token] = request.headers?.find(([name]) => name.toLowerCase() === 'authorization') ?? [];
    const server = partyAt(to);
    if (token === undefined || server === undefined || (status !== 200 && status !== 202)) return;
    const name = `${to} ${token}`;
    // A store that was put back has forgotten what it accepted after the copy was made.
    holds('I15', spent.get(name) !== server.restores, () => `${server.name} accepted a token twice`);
    spent.set(name, server.restores);
  };
  const checkWords = (exchange: Exchange, text: string): void => {
    const secret = SECRET.exec(text)?.[0];
    holds('I9', secret === undefined, () => `${secret} went from ${exchange.to} to ${exchange.from}`);
    const giver = partyAt(exchange.to);
    const taker = partyAt(exchange.from);
    for (const [word, origin] of text.matchAll(COMPANY)) {
      holds('I9', giver?.name === origin, () => `${word} went from ${exchange.to} to ${exchange.from}`);
      const may = taker !== undefined && giver !== undefined && grants.mayGive(giver, taker, 'company');
      holds('I9', may, () => `${word} went to ${exchange.from}, which has no grant`);
    }
  };
  return (exchange) => {
    const { from, to, request, status, body } = exchange;
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
    for (const fact of (JSON.parse(text) as { facts: readonly { scope: Scope; relation: string; id: string }[] })
      .facts) {
      holds('I9', !/^svc:(?!\/\/)/.test(fact.relation), () => `${giver.name} sent the system fact ${fact.id}`);
      if (taker === undefined) continue;
      const may = grants.mayGive(giver, taker, fact.scope);
      holds('I9', may, () => `${giver.name} sent the ${fact.scope} fact ${fact.id} to ${taker.name} without a grant`);
    }
  };
};
