import { matchKey, type Principal, ServiceError, type ServiceNames } from '../../kernel/plugin-api.ts';
import { INSTRUCTION_WRITE } from '../facts/facts-api.ts';
import type { AgentRecord } from './manifest-store.ts';

/** Whose an agent is, before or after a publication. */
export type Claim = Pick<AgentRecord, 'owner' | 'isRightful'>;

/**
 * Whose the agent is once this caller has published for it: the first publisher's, who must be the agent itself or hold
 * `instruction:write` or `admin`, and nobody else's afterwards. An administrator may publish for everybody and owns
 * nothing by it. A claim that was made before claims were checked stands until a caller publishes who may claim the
 * agent today. Otherwise an agent that was squatted could never be freed. Throws `instruction_write_required` or
 * `authorization`.
 */
export const claimBy = (
  known: AgentRecord | undefined,
  agentId: string,
  caller: Principal,
  names: ServiceNames,
): Claim => {
  const isRightful = mayClaim(agentId, caller, names);
  const { entityUri: owner } = caller;
  if (known === undefined) {
    if (isRightful) return { owner, isRightful };
    throw new ServiceError(
      'instruction_write_required',
      'only the agent itself, or a key with instruction:write or admin, may publish the first manifest of an agent',
    );
  }
  if (known.owner === owner) return { owner, isRightful: isRightful || known.isRightful };
  const isSettled = known.isRightful || isAgent(agentId, known.owner, names);
  if (!isSettled && isRightful) return { owner, isRightful };
  if (caller.permissions.has('admin')) return known;
  throw new ServiceError(
    'authorization',
    'the manifests of this agent belong to the entity that published the first one',
  );
};

const mayClaim = (agentId: string, { entityUri, permissions }: Principal, names: ServiceNames): boolean =>
  permissions.has(INSTRUCTION_WRITE.id) || permissions.has('admin') || isAgent(agentId, entityUri, names);

/** Spellings of an agent that match are one agent, and so are those of its entity. */
const isAgent = (agentId: string, entityUri: string, names: ServiceNames): boolean =>
  matchKey(`agent:${agentId}`, names) === matchKey(entityUri, names);
