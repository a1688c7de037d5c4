import type { ImportItem, ImportReader } from './importers-api.ts';
import { idMember, isObject, listMember, member, parsedObject, relationPart, textMember } from './origin-values.ts';

const PASSAGES: readonly string[] = ['passages', 'archival_passages', 'archival_memory'];
/** Lists that the reader skips, with a description of their items. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  tools: 'a definition of a tool',
  sources: 'a folder of files',
  groups: 'a group of agents',
  mcp_servers: 'a server of tools',
};
const LISTS = ['agents', 'blocks', ...PASSAGES, 'files', ...Object.keys(LEFT_OUT)];

type Instant = Parameters<ImportReader>[1]['instant'];

interface Agent {
  readonly id: string;
  /** The time for parts of the agent without a time. */
  readonly created?: string | undefined;
  readonly instant: Instant;
}

/** Takes agent files of both forms: one agent that contains its blocks, or lists of agents and blocks. */
export const readLetta: ImportReader = async function* (input, { instant }) {
  for await (const file of input.files()) {
    if (!/\.(af|json|jsonl)$/i.test(file.path)) {
      yield { at: file.path, skipped: 'no agent file', isBroken: false, isForeign: true };
      continue;
    }
    const owners = new Map<string, Set<string>>();
    let lastAgent = file.path;
    for await (const { list, index, value } of file.items(LISTS)) {
      const at = `${file.path}, ${list === '' ? 'item' : list} ${index + 1}`;
      const isAgent = list === 'agents' || Array.isArray(member(value, 'messages'));
      if (isAgent) {
        lastAgent = nameOf(value) ?? lastAgent;
        for (const block of listMember(value, 'block_ids')) {
          const names = owners.get(String(block)) ?? new Set();
          owners.set(String(block), names.add(lastAgent));
        }
        yield* agentItems(value, at, { id: lastAgent, created: instant(member(value, 'created_at')), instant });
      } else if (list === 'blocks') {
        const id = idMember(value, 'id') ?? '';
        const entities = [...(owners.get(id) ?? [])].map((agent) => `letta:agent/${agent}`);
        for (const entity of entities.length > 0 ? entities : [`letta:block/${id}`]) {
          yield* blockItems(value, at, entity, { id: lastAgent, instant });
        }
      } else if (list === 'files') yield* fileItems(value, at, { id: lastAgent, instant });
      else if (LEFT_OUT[list] !== undefined) yield { at, skipped: LEFT_OUT[list], isBroken: false };
      else if (PASSAGES.includes(list) || textMember(value, 'text') !== undefined) {
        yield* passageItems(value, at, { id: idMember(value, 'agent_id') ?? lastAgent, instant });
      }
    }
  }
};

/** Identifies an agent by its name, because a server assigns a new id at each import. */
const nameOf = (value: unknown): string | undefined => textMember(value, 'name') ?? idMember(value, 'id');

function* agentItems(value: unknown, at: string, agent: Agent): Generator<ImportItem> {
  const entity = `letta:agent/${agent.id}`;
  const description = textMember(value, 'description');
  if (description !== undefined) {
    const source = `letta:agent/${agent.id}`;
    yield {
      kind: 'agent',
      at,
      entity,
      relation: 'memory:description',
      value: { type: 'text', v: description },
      source,
      timestamp: agent.created,
    };
  }
  for (const block of [...listMember(value, 'core_memory'), ...listMember(value, 'memory_blocks')]) {
    yield* blockItems(block, at, entity, agent);
  }
  for (const list of PASSAGES) for (const one of listMember(value, list)) yield* passageItems(one, at, agent);
  for (const one of listMember(value, 'files')) yield* fileItems(one, at, agent);
  for (const _ of listMember(value, 'tools')) yield { at, skipped: 'a definition of a tool', isBroken: false };
  const { instant } = agent;
  let toldAt = agent.created;
  for (const [nth, message] of listMember(value, 'messages').entries()) {
    toldAt = instant(member(message, 'created_at')) ?? toldAt;
    yield* messageItems(message, `${at}, message ${nth + 1}`, nth, { ...agent, toldAt });
  }
}

/** Yields the facts of a document that the agent may read. Older agent files lack its text. */
function* fileItems(value: unknown, at: string, { id: agent, created, instant }: Agent): Generator<ImportItem> {
  const content = member(value, 'content');
  const text = textMember(value, 'content', 'text') ?? textMember(content, 'text', 'content');
  const name = textMember(value, 'original_file_name', 'file_name', 'name');
  const id = idMember(value, 'id') ?? name;
  if (id === undefined || text === undefined) {
    yield { at, skipped: 'a file, of which the export has no text', isBroken: false };
    return;
  }
  const common = {
    kind: 'file',
    at,
    entity: `letta:file/${name ?? id}`,
    source: `letta:agent/${agent}`,
    timestamp: instant(member(value, 'updated_at')) ?? instant(member(value, 'created_at')) ?? created,
  };
  if (name !== undefined) yield { ...common, relation: 'memory:title', value: { type: 'string', v: name } };
  yield { ...common, relation: `memory:file:${relationPart(id)}`, value: { type: 'text', v: text } };
}

function* blockItems(
  value: unknown,
  at: string,
  entity: string,
  { id, created, instant }: Agent,
): Generator<ImportItem> {
  const label = textMember(value, 'label') ?? 'block';
  const text = textMember(value, 'value');
  if (text === undefined) yield { at, skipped: 'a memory block without text', isBroken: false };
  else {
    yield {
      kind: 'block',
      at,
      entity,
      relation: `memory:block:${relationPart(label)}`,
      value: { type: 'text', v: text },
      source: `letta:agent/${id}`,
      timestamp: instant(member(value, 'updated_at')) ?? instant(member(value, 'created_at')) ?? created,
    };
  }
}

function* passageItems(value: unknown, at: string, { id: agent, created, instant }: Agent): Generator<ImportItem> {
  const text = textMember(value, 'text', 'content');
  const id = idMember(value, 'id');
  if (text === undefined || id === undefined) {
    yield { at, skipped: 'a passage without text or id', isBroken: true };
    return;
  }
  yield {
    kind: 'passage',
    at,
    entity: `letta:agent/${agent}`,
    relation: `memory:passage:${relationPart(id)}`,
    value: { type: 'text', v: text },
    source: `letta:agent/${agent}`,
    timestamp: instant(member(value, 'created_at')) ?? created,
  };
}

interface Teller extends Agent {
  /** The time of the message, or else of the message before it. */
  readonly toldAt: string | undefined;
}

function* messageItems(value: unknown, at: string, nth: number, { id: agent, toldAt }: Teller): Generator<ImportItem> {
  const role = textMember(value, 'role') ?? 'unknown';
  const skip = (skipped: string, isBroken = false): ImportItem => ({ at, skipped, isBroken });
  if (!isObject(value)) {
    yield skip('not a JSON object', true);
    return;
  }
  if (role === 'system') {
    yield skip('a system prompt');
    return;
  }
  const isResult = role === 'tool';
  const text = isResult ? resultIn(value) : spoken(value);
  if (text === null) {
    yield skip(isResult ? 'a result of a tool without text' : silenceOf(value));
    return;
  }
  // In older files a message is identified by its position alone.
  const id = idMember(value, 'id') ?? `${textMember(value, 'created_at') ?? ''}-${nth}`;
  const name = textMember(value, 'name');
  yield {
    kind: isResult ? 'tool result' : 'message',
    at,
    entity: `letta:agent/${agent}`,
    relation: `memory:${isResult ? 'tool_result' : 'message'}:${relationPart(id)}`,
    value: { type: 'text', v: text },
    source: role === 'assistant' ? `letta:agent/${agent}` : `letta:${role}${name === undefined ? '' : `/${name}`}`,
    timestamp: toldAt,
    session: `letta:${agent}`,
  };
}

const silenceOf = (value: unknown): string =>
  listMember(value, 'tool_calls').length > 0 ? 'a call of a tool' : 'a message without text';

const contentText = (value: unknown): string => {
  const content = member(value, 'content');
  const parts = Array.isArray(content) ? content : [];
  const texts = parts.filter((part) => member(part, 'type') === 'text').map((part) => textMember(part, 'text') ?? '');
  return typeof content === 'string' ? content : ((texts.join('\n\n') || textMember(value, 'text')) ?? '');
};

/** Results of tools without content. */
const NOTHING: ReadonlySet<string> = new Set(['', 'None', 'null', 'OK']);
const WRAPPER = new Set(['status', 'message', 'time']);

/**
 * Returns the result of a tool; null for an empty one. Letta wraps a result in JSON with a status, and writes `None`
 * for an empty one.
 */
const resultIn = (value: unknown): string | null => {
  const returned = listMember(value, 'tool_returns').flatMap((one) => textMember(one, 'func_response') ?? []);
  const text = contentText(value) || returned.join('\n\n');
  const wrapped = parsedObject(text);
  const names = Object.keys(wrapped ?? {});
  const isWrapped = names.includes('status') && names.every((name) => WRAPPER.has(name));
  const message = member(wrapped, 'message') ?? null;
  const said = isWrapped ? (typeof message === 'string' || message === null ? message : JSON.stringify(message)) : text;
  return said === null || NOTHING.has(said.trim()) ? null : said;
};

/**
 * Returns the text of a message of a user or agent. Letta wraps users' messages in JSON, and agents may send theirs
 * through a tool.
 */
const spoken = (value: unknown): string | null => {
  const text = contentText(value);
  const wrapped = parsedObject(text);
  const kind = member(wrapped, 'type');
  if (kind === 'user_message') return textMember(wrapped, 'message') ?? null;
  if (kind === 'heartbeat' || kind === 'login' || kind === 'system_alert') return null;
  const calls = listMember(value, 'tool_calls')
    .map((call) => member(call, 'function'))
    .filter((call) => member(call, 'name') === 'send_message')
    .map((call) => textMember(parsedObject(textMember(call, 'arguments') ?? ''), 'message') ?? '');
  const said = calls.filter((one) => one !== '').join('\n\n');
  return said !== '' ? said : text.trim() === '' ? null : text;
};
