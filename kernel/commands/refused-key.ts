import type { ServerReply } from './command-server.ts';

const FIRST_KEY = 'export SVC_API_KEY="$(cat data/admin.key)"';
const NO_KEY =
  `set SVC_API_KEY (after the first start: ${FIRST_KEY}), name the file of a key with --key-file, or sign in with ` +
  '"fact-memory-node login"';
const VALID_KEY = 'a key of this node that is neither expired nor revoked';
const WRONG_VARIABLE = `set it to ${VALID_KEY} (after the first start: ${FIRST_KEY}), or unset it and sign in with "fact-memory-node login"`;
const WRONG_FILE = `name the file of ${VALID_KEY} with --key-file, or sign in with "fact-memory-node login"`;

/**
 * Says which key the node refuses, and what to do, for a reply with status 401. The hint of the node names a header
 * that users of commands never see. Without a key there is only a hint.
 */
export const refusedKey = ({
  keyFrom,
}: Pick<ServerReply, 'keyFrom'>): { readonly message?: string; readonly hint: string } => {
  if (keyFrom === undefined) return { hint: NO_KEY };
  const message = `the node refuses the key in ${keyFrom}`;
  return { message, hint: keyFrom === 'SVC_API_KEY' ? WRONG_VARIABLE : WRONG_FILE };
};
