import { encodeBase64Url, readFactValue, readRelation, type Signer } from '../../kernel/internal-api.ts';
import { readEntityUri, ServiceError } from '../../kernel/plugin-api.ts';
import type { AttestationJson } from './attestation-api.ts';
import { signedText } from './signed-text.ts';

/**
 * Signs one assertion, or one per line, and returns them as lines of JSON with their attestation. Throws if any line is
 * no assertion and then returns nothing, so that a partial result is never mistaken for the whole.
 */
export const signAssertions = (text: string, keyId: string, signer: Signer): readonly string[] => {
  const whole = parse(text);
  if (whole !== undefined) return [signed(whole, 'input', keyId, signer)];
  const lines = text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [{ line, name: `line ${at + 1}` }]));
  if (lines.length === 0) throw new ServiceError('validation', 'there is nothing to sign');
  return lines.map(({ line, name }) => signed(parse(line), name, keyId, signer));
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Checks the signed members with the rules of a node, because no node accepts a signature over other members. */
const signed = (input: unknown, name: string, keyId: string, signer: Signer): string => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new ServiceError('validation', `${name} is no JSON object`, {
      hint: 'write an assertion as POST /v1/facts takes it, or one on each line',
    });
  }
  const body = input as Readonly<Record<string, unknown>>;
  const { entity, relation, value, source } = body;
  readEntityUri(entity, `${name}.entity`);
  readRelation(relation, `${name}.relation`);
  readEntityUri(source, `${name}.source`);
  // Signs the text before trimming, as the node verifies it.
  const text = signedText({
    entity: String(entity),
    relation: String(relation),
    value: readFactValue(value, `${name}.value`),
    source: String(source),
  });
  const signature = encodeBase64Url(signer.sign(Buffer.from(text, 'utf8')));
  const attestation: AttestationJson = { key_id: keyId, signature };
  return JSON.stringify({ ...body, attestation });
};
