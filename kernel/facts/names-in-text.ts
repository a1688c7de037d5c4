/**
 * Matches JSON members with a fact identifier, which may be any text. Content ids and node identifiers have forms of
 * their own.
 */
const NAMED = /"(?:id|fact_id)":"([\x21\x23-\x5b\x5d-\x7e]{1,128})"/g;
const FORMED = /sha256:[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * Returns the possible names of facts in a JSON text, each once: content ids, UUIDs, and members with an identifier.
 */
export const namesInText = (text: string): readonly string[] => {
  const names = new Set<string>();
  for (const [, name = ''] of text.matchAll(NAMED)) names.add(name);
  for (const [name] of text.matchAll(FORMED)) names.add(name);
  return [...names];
};
