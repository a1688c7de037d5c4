import type { Fact } from '../../../../../client/client.ts';
import type { Setup } from '../../session/read-setup.ts';

/** True for a fact that callers may correct and retract: no retraction, and no fact of the node itself. */
export const isChangeable = ({ entity, relation, confidence }: Fact, { service }: Setup): boolean =>
  confidence > 0 && ![entity, relation].some((name) => isReserved(name.toLowerCase(), `${service}:`));

const isReserved = (name: string, prefix: string): boolean =>
  (name.startsWith(prefix) && !name.startsWith(`${prefix}//`)) || name === 'instruction:manifest';
