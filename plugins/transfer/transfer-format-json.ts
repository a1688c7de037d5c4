import { parseStrictJsonText } from '../../kernel/internal-api.ts';
import { formatInstant, ServiceError } from '../../kernel/plugin-api.ts';
import type { TransferHeader, TransferLine } from './transfer-api.ts';

const FORMAT = 'fact-memory-export';
const VERSION = 1;

export const headerJson = (header: TransferHeader, nowMs: number): TransferLine => ({
  format: FORMAT,
  version: VERSION,
  node_id: header.nodeId,
  service_name: header.serviceName,
  tenant_id: header.tenantId,
  epoch: header.epoch,
  exported_at: formatInstant(nowMs),
});

/** Throws `validation` for a damaged header, and for one of another version, then with a hint. */
export const readHeader = (text: string): TransferHeader => {
  const line = parseLine(text);
  if (line['format'] !== FORMAT) throw new ServiceError('validation', 'the first line is not the header of an export');
  if (line['version'] !== VERSION) {
    throw new ServiceError('validation', `the format version of this export is not ${VERSION}`, {
      hint: 'import the file with the version of the program that wrote it',
    });
  }
  const member = (name: string): string => {
    const value = line[name];
    if (typeof value !== 'string' || value === '') {
      throw new ServiceError('validation', `the header of the export has no ${name}`);
    }
    return value;
  };
  return {
    nodeId: member('node_id'),
    serviceName: member('service_name'),
    tenantId: member('tenant_id'),
    epoch: member('epoch'),
  };
};

/** The instant at which a fact expires, as another fact, its time to live, has set it. */
export interface PortableExpiry {
  readonly factId: string;
  readonly expiresMs: number;
  readonly hlcText: string;
}

export const expiryJson = ({ factId, expiresMs, hlcText }: PortableExpiry): TransferLine => ({
  fact_id: factId,
  expires_ms: expiresMs,
  hlc: hlcText,
});

/**
 * Returns the last line. It contains the number of facts before it, so that a truncated file is detected, and the
 * number of omitted damaged facts.
 */
export const endJson = (facts: number, damaged: number): TransferLine => ({ facts, ...(damaged > 0 && { damaged }) });

/** Throws `validation` for text that is not a JSON object. */
export const parseLine = (text: string): TransferLine => {
  let parsed: unknown;
  try {
    parsed = parseStrictJsonText(text, 'line');
  } catch {
    throw new ServiceError('validation', 'not valid JSON');
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as TransferLine;
  throw new ServiceError('validation', 'not a JSON object');
};
