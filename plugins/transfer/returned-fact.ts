/** Members of a returned fact that describe its state on that node. An assertion has none of them. */
const SHOWN_ALONE = [
  'contradicted',
  'contradiction',
  'differs_elsewhere',
  'ended',
  'attested_key_id',
  'origin_node_id',
  'origin_allowed_scopes',
  'not_granted',
  'warnings',
  'source_trust',
  'effective_confidence',
  'quarantine_status',
  'quarantine_garden_id',
  'sanitizer_warnings',
  'sanitizer_redacted',
] as const;

/** A member that every returned fact has, by which such lines are recognised. */
const MARK = Buffer.from('"contradicted"');

/**
 * Turns a line into an assertion: removes the state members from a returned fact, and leaves any other line to the
 * node's checks.
 */
export const assertableLine = (line: Buffer): Buffer => {
  if (!line.includes(MARK)) return line;
  const fact = parse(line);
  if (typeof fact !== 'object' || fact === null || !Object.hasOwn(fact, 'contradicted')) return line;
  const rest = Object.entries(fact).filter(([name]) => !(SHOWN_ALONE as readonly string[]).includes(name));
  return Buffer.from(JSON.stringify(Object.fromEntries(rest)));
};

const parse = (line: Buffer): unknown => {
  try {
    return JSON.parse(line.toString());
  } catch {
    return undefined;
  }
};
