import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../kernel/plugin-api.ts';
import type { AppliedEdit, TomlEdit, UndoneEdit } from './config-edit.ts';
import { valueAt } from './json-edit.ts';
import { textForm } from './text-form.ts';

const BEGIN = '# >>> fact-memory-node connect: "disconnect" removes these lines';
const END = '# <<< fact-memory-node connect';

/** The tables of a TOML file. Throws `validation` for a broken file. */
export const readToml = async (text: string): Promise<Record<string, unknown>> => {
  const { parse } = await import('smol-toml');
  try {
    return parse(textForm(text).body);
  } catch (error) {
    const line = (error as { readonly line?: unknown }).line;
    throw new ServiceError('validation', `is no valid TOML${typeof line === 'number' ? `: line ${line}` : ''}`);
  }
};

const blockOf = ({ lines }: TomlEdit, eol: string): string => [BEGIN, ...lines, END].join(eol);

export const hasToml = async (text: string, edit: TomlEdit): Promise<boolean> => {
  await readToml(text);
  return text.includes(blockOf(edit, textForm(text).eol));
};

/** Adds the table at the end, between two marks. Throws `conflict` if the file already has it. */
export const applyToml = async (text: string, edit: TomlEdit): Promise<AppliedEdit> => {
  const { bom, body, eol } = textForm(text);
  const before = await readToml(text);
  const name = edit.table.join('.');
  if (valueAt(before, edit.table) !== undefined) {
    throw new ServiceError('conflict', `has a table ${name} that this command did not write`, {
      hint: 'remove that table, or choose another name with --name',
    });
  }
  const gap = body === '' ? '' : `${body.endsWith('\n') ? '' : eol}${eol}`;
  const after = `${bom}${body}${gap}${blockOf(edit, eol)}${eol}`;
  const wanted = await readToml(edit.lines.join('\n'));
  const isWhole = await readToml(after).then(
    (root) => isDeepStrictEqual(valueAt(root, edit.table), valueAt(wanted, edit.table)),
    () => false,
  );
  if (isWhole) return { text: after, added: edit, created: [] };
  throw new ServiceError('validation', `defines ${edit.table[0]} in a form to which no table can be added`, {
    hint: `write its entries as tables, such as [${edit.table[0]}.name]`,
  });
};

/** Removes the lines if they are unchanged; with `force`, everything between the marks. */
export const undoToml = async (text: string, edit: TomlEdit, force: boolean): Promise<UndoneEdit> => {
  const { bom, body, eol } = textForm(text);
  const block = force ? betweenMarks(body) : blockOf(edit, eol);
  const start = block === undefined ? -1 : body.indexOf(block);
  if (block === undefined || start < 0) {
    return { text, kept: body.includes(BEGIN) ? [edit.table.join('.')] : [] };
  }
  const head = body.slice(0, start);
  const tail = body.slice(start + block.length).replace(/^\r?\n/, '');
  // The edit added the empty line before the block as well.
  const rest = `${head.endsWith(`${eol}${eol}`) ? head.slice(0, -eol.length) : head}${tail}`;
  return { text: rest.trim() === '' ? undefined : `${bom}${rest}`, kept: [] };
};

const betweenMarks = (body: string): string | undefined => {
  const start = body.indexOf(BEGIN);
  const end = start < 0 ? -1 : body.indexOf(END, start);
  return end < 0 ? undefined : body.slice(start, end + END.length);
};
