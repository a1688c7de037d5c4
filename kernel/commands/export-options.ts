/** The options of a command that writes an export. */
export const EXPORT_OPTIONS = {
  out: { type: 'text', value: 'file', summary: 'file to write, readable by you alone; it must not exist yet' },
  plain: { type: 'flag', summary: 'write the file in the clear, also on a node with a key of the operator' },
} as const;
