export const TARGET_TYPES = ['entity', 'scope', 'garden'] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

export const EVENT_TYPES = ['fact_asserted', 'fact_retracted', 'conflict_opened', 'conflict_resolved'] as const;

/** What a capability token has to name so that it covers a target. */
export const objectFor = (target: string, type: TargetType, service: string): string => {
  if (type === 'scope') return `${service}://facts/scope:${target.replace(/^scope:/, '')}`;
  return type === 'entity' ? target.replace(/^entity:/, '') : target;
};
