/** The public exports for plugins that define commands and show facts on a terminal. Re-exports only. */

export { acceptedReply, askServer } from './commands/ask-server.ts';
export {
  type Cell,
  type Command,
  type CommandContext,
  type CommandGroup,
  type CommandOption,
  defineCommand,
  EXIT,
  type PluginCommand,
  type Progress,
} from './commands/command-definition.ts';
export type { CommandServer, ServerPlace, ServerReply } from './commands/command-server.ts';
export { EXPORT_OPTIONS } from './commands/export-options.ts';
export type { UpgradePlan } from './commands/offline-store.ts';
export { type NumberedLine, readLines } from './commands/read-lines.ts';
export { readPages } from './commands/read-pages.ts';
export { queryOf, readShare, wordOrInput } from './commands/read-words.ts';
export { rotateGroup } from './commands/rotate-group.ts';
export { type BatchAnswer, inTermsOfTheLine, sendBatch } from './commands/send-batch.ts';
export { type PatientTarget, sendPatiently } from './commands/send-patiently.ts';
export { shellQuote } from './commands/shell-quote.ts';
export { ageOf, factRows, SHOWN_FIELDS, type ShownFact, type ShownValue, valueLine } from './commands/shown-fact.ts';
export { jsonLine, shortText } from './commands/shown-text.ts';
export { type TypedValue, typedValue } from './commands/typed-value.ts';
export { countNoun } from './text/count-noun.ts';
