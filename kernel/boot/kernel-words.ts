import { CORE_MEMBERS } from '../facts/core-members.ts';
import { RESERVED_FIELDS } from '../facts/fact-members.ts';
import { FACT, FACT_PART, FACT_VALUE, SENT_VALUE } from '../facts/fact-schema.ts';
import { PROBLEM } from '../http/error-reply.ts';
import type { Word } from '../vocabulary/define-vocabulary.ts';
import { CORE_ERROR_CODES } from '../vocabulary/error-codes.ts';
import { CORE_KIND_WORDS } from '../vocabulary/kinds.ts';
import { CORE_PERMISSION_WORDS } from '../vocabulary/permissions.ts';

/** The words of every node, with or without plugins. */
export const KERNEL_WORDS: readonly Word[] = [
  ...CORE_ERROR_CODES,
  ...CORE_PERMISSION_WORDS,
  ...CORE_KIND_WORDS,
  ...CORE_MEMBERS,
  ...RESERVED_FIELDS,
  FACT,
  FACT_PART,
  FACT_VALUE,
  SENT_VALUE,
  PROBLEM,
];
