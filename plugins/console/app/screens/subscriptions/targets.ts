export const TARGET_TYPES = ['entity', 'scope', 'garden'] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

export const EVENT_TYPES = ['fact_asserted', 'fact_retracted', 'conflict_opened', 'conflict_resolved'] as const;

/** The object that a capability token must name to cover a target. */
export const objectFor = (target: string, type: TargetType, service: string): string => {
  if (type === 'scope') return `${service}://facts/scope:${target.replace(/^scope:/, '')}`;
  return type === 'entity' ? target.replace(/^entity:/, '') : target;
};
