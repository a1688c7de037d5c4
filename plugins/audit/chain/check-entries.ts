import { type NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import type { StoreCheck } from '../../backup/backup-api.ts';
import type { Audit, VerifiedEntries } from '../audit-api.ts';

/** Hashes the entries of every tenant again, and compares them with the node's signed checkpoints. */
export const createEntryCheck = (audit: Pick<Audit, 'verify'>, { names }: Pick<NodeSelf, 'names'>): StoreCheck => ({
  name: 'audit',
  summary: 'every link of the chain of the audit log, and its checkpoints',
  begin: ({ find }) => ({
    async end(tenantId) {
      const caller = nodePrincipal(names, tenantId);
      let part: VerifiedEntries = await audit.verify(caller);
      while (part.more && part.problem === undefined) part = await audit.verify(caller, part.place?.number);
      if (part.problem === undefined) return;
      const { chainSeq, reason } = part.problem;
      find({
        tenantId,
        message: `the audit log does not hold at place ${chainSeq}: ${reason}`,
        hint: 'somebody changed the store past the node: compare it with an export of the log, or with a backup',
      });
    },
  }),
});
