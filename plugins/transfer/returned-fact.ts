/** Members of a fact as a node returns it that say how it stands there. An assertion has none of them. */
const SHOWN_ALONE = [
  'contradicted',
  'differs_elsewhere',
  'attested_key_id',
  'origin_node_id',
  'origin_allowed_scopes',
  'warnings',
  'source_trust',
  'effective_confidence',
  'quarantine_status',
  'quarantine_garden_id',
  'sanitizer_warnings',
  'sanitizer_redacted',
] as const;

/** Every returned fact has it. */
const MARK = Buffer.from('"contradicted"');

/**
 * A line as it is asserted: a fact as a node returned it loses what only the answer of a node says; every other line
 * stays as it is, for the node to judge.
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
