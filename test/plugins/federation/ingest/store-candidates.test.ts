import { expect } from 'chai';
import { createServiceNames } from '../../../../kernel/identity/service-names.ts';
import { type Facts, type PluginTables, ServiceError } from '../../../../kernel/plugin-api.ts';
import type { IngestVerdict } from '../../../../plugins/federation/ingest/ingest.ts';
import { createOwnNames } from '../../../../plugins/federation/ingest/own-names.ts';
import { readFact } from '../../../../plugins/federation/ingest/read-fact.ts';
import { storeCandidates } from '../../../../plugins/federation/ingest/store-candidates.ts';
import { peerFact, peeringFor } from '../ingest-stand.ts';

const self = {
  names: createServiceNames('svc'),
  nodeId: 'svc:node:here',
  nodeUrl: 'https://h.test',
  authority: 'h.test',
};

/** Returns the verdict on a fact that passes the ingest checks but whose stamp the kernel refuses. */
const verdictOfSkew = async (via: 'pull' | 'push'): Promise<IngestVerdict | undefined> => {
  const read = readFact(peerFact(1), { maxBytes: 10_000, toleratesOldCid: false });
  if (!('fact' in read)) throw new Error(read.error);
  const error = new ServiceError('hlc_skew', 'the stamp lies ahead');
  const facts = { appendAll: async () => [{ kind: 'rejected', error }] } as unknown as Facts;
  const tables = { write: async (_tenant: string, work: () => Promise<void>) => work() } as unknown as PluginTables;
  const page = { facts: [], peering: peeringFor(), scopes: new Set(['public'] as const), via };
  const { fact } = read;
  const localId = fact.draft.id;
  const candidates = [{ at: 0, fact, proof: 'absent', gardenId: null, localId, namesakes: [], copies: [] }] as const;
  const parts = {
    facts,
    tables,
    proofs: undefined as never,
    peerings: undefined as never,
    self,
    own: createOwnNames(self),
  };
  return (await storeCandidates(candidates, page, async () => {}, parts))[0];
};

describe('a fact whose stamp is refused because the clock was set back', () => {
  it('is set aside after a pull, so that it is not lost', async () => {
    expect(await verdictOfSkew('pull')).to.deep.include({ kind: 'parked', reason: 'hlc_skew' });
  });

  it('is refused after a push', async () => {
    expect(await verdictOfSkew('push')).to.deep.include({ kind: 'rejected', error: 'hlc_skew' });
  });
});
