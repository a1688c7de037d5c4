import { Readable } from 'node:stream';
import { spelledNumber, UNFAITHFUL_NUMBER } from '../../kernel/internal-api.ts';
import { type FactValue, type Scope, ServiceError } from '../../kernel/plugin-api.ts';
import { type CsvRow, type MappedMember, type MemberRule, readMapping } from './csv-mapping.ts';
import type { ImportFile, ImportItem, ImportReader, ImportSettings } from './importers-api.ts';
import { printable } from './refused-items.ts';

const MAX_RECORD_BYTES = 8 * 1024 * 1024;
const MAX_COLUMNS = 10_000;
const DELIMITERS = [',', ';', '\t'] as const;
const SCOPES: readonly Scope[] = ['local', 'team', 'company', 'public'];

/** Makes a fact from every row, with the members in the mapping. */
export const readCsv: ImportReader = async function* (input, settings) {
  const rules = await readMapping(settings.map);
  for await (const file of input.files()) {
    if (!/\.(csv|tsv|txt)$/i.test(file.path)) {
      yield { at: file.path, skipped: 'no table', isBroken: false, isForeign: true };
      continue;
    }
    for await (const { row, line } of rowsOf(file, rules)) {
      yield row === null
        ? { at: `${file.path}, line ${line}`, skipped: 'a row that is not valid CSV', isBroken: true }
        : itemOf(row, `${file.path}, line ${line}`, rules, settings);
    }
  }
};

async function* rowsOf(
  file: ImportFile,
  rules: ReadonlyMap<MappedMember, MemberRule>,
): AsyncGenerator<{ readonly row: CsvRow | null; readonly line: number }> {
  const { parse } = await import('csv-parse');
  const broken: number[] = [];
  const { delimiter, isNamed } = await delimiterOf(file);
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    from_line: isNamed ? 2 : 1,
    skip_empty_lines: true,
    skip_records_with_error: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD_BYTES,
    info: true,
    on_skip: (error) => {
      broken.push(Number((error as { lines?: number } | undefined)?.lines ?? 0));
    },
  });
  const bytes = Readable.from(file.utf8());
  bytes.on('error', (error) => parser.destroy(error));
  let columns: string[] | null = null;
  try {
    for await (const { record, info } of bytes.pipe(parser) as AsyncIterable<Parsed>) {
      if (columns === null) columns = checkedColumns(record, rules, file.path);
      else {
        const row = Object.fromEntries(columns.map((column, at) => [column, record[at] ?? '']));
        yield { row: record.length === columns.length ? row : null, line: info.lines };
      }
      for (const line of broken.splice(0)) yield { row: null, line };
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('validation', `${file.path} is not valid CSV`, {
      hint: 'a quoted cell may not end, or a row is longer than 8 MiB',
    });
  }
  for (const line of broken) yield { row: null, line };
}

interface Parsed {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

const checkedColumns = (columns: string[], rules: ReadonlyMap<MappedMember, MemberRule>, path: string): string[] => {
  if (columns.length > MAX_COLUMNS)
    throw new ServiceError('validation', `${path} has more than ${MAX_COLUMNS} columns`);
  const names = columns.map((column) => column.trim());
  for (const [member, rule] of rules) {
    const missing = rule.columns.find((column) => !names.includes(column));
    if (missing === undefined) continue;
    throw new ServiceError(
      'validation',
      `${path} has no column "${printable(missing)}", as --map names it for ${member}`,
      {
        hint: `the first line of the file names the columns; here: ${printable(names.join(', '))}`,
      },
    );
  }
  return names;
};

interface Delimiter {
  readonly delimiter: string;
  /** True if a line such as `sep=;` before the column names sets the delimiter. */
  readonly isNamed: boolean;
}

/** Returns the delimiter of a `sep=` line, or else the one that occurs most often in the first line. */
const delimiterOf = async (file: ImportFile): Promise<Delimiter> => {
  for await (const { text } of file.lines()) {
    const [, named] = /^"?sep=(.)"?\r?$/i.exec(text ?? '') ?? [];
    if (named !== undefined) return { delimiter: named, isNamed: true };
    const counts = DELIMITERS.map((mark) => (text ?? '').split(mark).length);
    return { delimiter: DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',', isNamed: false };
  }
  return { delimiter: ',', isNamed: false };
};

const itemOf = (
  row: CsvRow,
  at: string,
  rules: ReadonlyMap<MappedMember, MemberRule>,
  { instant, end }: ImportSettings,
): ImportItem => {
  const cell = (name: MappedMember): string => rules.get(name)?.read(row).trim() ?? '';
  const skip = (skipped: string): ImportItem => ({ at, skipped, isBroken: true });
  const [entity, relation, text] = [cell('entity'), cell('relation'), rules.get('value')?.read(row) ?? ''];
  if (entity === '' || relation === '') return skip('a row without an entity or a relation');
  if (text.trim() === '') return { at, skipped: 'a row without a value', isBroken: false };
  const value = cellValue(cell('type') || 'string', text, instant);
  if (value === null) return skip('a value that is not of its type');
  if (Number.isNaN(value.v)) return skip(`a value that ${UNFAITHFUL_NUMBER}`);
  const when = (name: MappedMember, read: ImportSettings['instant']): string | null | undefined =>
    cell(name) === '' ? undefined : (read(cell(name)) ?? null);
  const timestamp = when('timestamp', instant);
  const validFrom = when('valid_from', instant);
  const validUntil = when('valid_until', end);
  if (timestamp === null || validFrom === null || validUntil === null) return skip('an instant that cannot be read');
  const confidence = cell('confidence') === '' ? undefined : Number(cell('confidence'));
  if (confidence !== undefined && !(confidence >= 0 && confidence <= 1)) return skip('a confidence outside of 0 to 1');
  const scope = SCOPES.find((known) => known === cell('scope'));
  if (scope === undefined && cell('scope') !== '') return skip('an unknown scope');
  return {
    kind: 'row',
    at,
    entity,
    relation,
    value,
    source: cell('source') || 'csv',
    timestamp,
    validFrom,
    validUntil,
    confidence,
    scope,
    garden: cell('garden') || undefined,
    session: cell('session') || undefined,
  };
};

/** The cell as a value of the type; null if it does not fit, and NaN for a number that a double cannot hold. */
const cellValue = (
  type: string,
  text: string,
  instant: ImportSettings['instant'],
): Pick<FactValue, 'type' | 'v'> | null => {
  const word = text.trim();
  switch (type) {
    case 'string':
    case 'text':
      return { type, v: text };
    case 'ref':
      return { type, v: word };
    case 'number': {
      const v = spelledNumber(word);
      return v === undefined ? null : { type, v };
    }
    case 'boolean':
      return /^(true|false)$/i.test(word) ? { type, v: word.toLowerCase() === 'true' } : null;
    case 'datetime': {
      const v = instant(word);
      return v === undefined ? null : { type, v };
    }
    default:
      return null;
  }
};
