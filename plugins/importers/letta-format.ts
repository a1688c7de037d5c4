import type { ImportItem, ImportReader } from './importers-api.ts';
import { idMember, isObject, listMember, member, relationPart, textMember } from './origin-values.ts';

const LISTS = ['agents', 'blocks', 'passages', 'archival_passages', 'archival_memory'] as const;
const PASSAGES: readonly string[] = LISTS.slice(2);

type Instant = Parameters<ImportReader>[1]['instant'];

interface Agent {
  readonly id: string;
  readonly instant: Instant;
}

/** Takes agent files of both forms: one agent that contains its blocks, or lists of agents and blocks. */
export const readLetta: ImportReader = async function* (input, { instant }) {
  for await (const file of input.files()) {
    if (!/\.(af|json|jsonl)$/i.test(file.path)) {
      yield { at: file.path, skipped: 'no agent file', isBroken: false };
      continue;
    }
    const owners = new Map<string, string[]>();
    let lastAgent = file.path;
    for await (const { list, index, value } of file.items(LISTS)) {
      const at = `${file.path}, ${list === '' ? 'item' : list} ${index + 1}`;
      const isAgent = list === 'agents' || Array.isArray(member(value, 'messages'));
      if (isAgent) {
        lastAgent = nameOf(value) ?? lastAgent;
        for (const block of listMember(value, 'block_ids')) {
          owners.set(String(block), [...(owners.get(String(block)) ?? []), lastAgent]);
        }
        yield* agentItems(value, at, { id: lastAgent, instant });
      } else if (list === 'blocks') {
        const id = idMember(value, 'id') ?? '';
        const entities = (owners.get(id) ?? []).map((agent) => `letta:agent/${agent}`);
        for (const entity of entities.length > 0 ? entities : [`letta:block/${id}`]) {
          yield* blockItems(value, at, entity, lastAgent, instant);
        }
      } else if (PASSAGES.includes(list) || textMember(value, 'text') !== undefined) {
        yield* passageItems(value, at, { id: idMember(value, 'agent_id') ?? lastAgent, instant });
      }
    }
  }
};

/** Uses the name, because a server assigns a new id at each import. */
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
    };
  }
  for (const block of [...listMember(value, 'core_memory'), ...listMember(value, 'memory_blocks')]) {
    yield* blockItems(block, at, entity, agent.id, agent.instant);
  }
  for (const list of PASSAGES) for (const one of listMember(value, list)) yield* passageItems(one, at, agent);
  for (const [nth, message] of listMember(value, 'messages').entries()) {
    yield* messageItems(message, `${at}, message ${nth + 1}`, nth, agent);
  }
}

function* blockItems(
  value: unknown,
  at: string,
  entity: string,
  agent: string,
  instant: Instant,
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
      source: `letta:agent/${agent}`,
      timestamp: instant(member(value, 'updated_at')) ?? instant(member(value, 'created_at')),
    };
  }
}

function* passageItems(value: unknown, at: string, { id: agent, instant }: Agent): Generator<ImportItem> {
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
    timestamp: instant(member(value, 'created_at')),
  };
}

function* messageItems(value: unknown, at: string, nth: number, { id: agent, instant }: Agent): Generator<ImportItem> {
  const role = textMember(value, 'role') ?? 'unknown';
  if (!isObject(value)) {
    yield { at, skipped: 'not a JSON object', isBroken: true };
    return;
  }
  if (role === 'system') {
    yield { at, skipped: 'a system prompt', isBroken: false };
    return;
  }
  const text = spoken(value);
  if (text === null) {
    yield { at, skipped: 'a message in which nothing is said', isBroken: false };
    return;
  }
  const created = textMember(value, 'created_at');
  // In older files a message is identified by its position alone.
  const id = idMember(value, 'id') ?? `${created ?? ''}-${nth}`;
  const name = textMember(value, 'name');
  yield {
    kind: 'message',
    at,
    entity: `letta:agent/${agent}`,
    relation: `memory:message:${relationPart(id)}`,
    value: { type: 'text', v: text },
    source: role === 'assistant' ? `letta:agent/${agent}` : `letta:${role}${name === undefined ? '' : `/${name}`}`,
    timestamp: instant(created),
    session: `letta:${agent}`,
  };
}

/** The words of people or the agent. Letta wraps users' messages in JSON, and agents may speak through a tool. */
const spoken = (value: unknown): string | null => {
  const content = member(value, 'content');
  const parts = Array.isArray(content) ? content : [];
  const texts = parts.filter((part) => member(part, 'type') === 'text').map((part) => textMember(part, 'text') ?? '');
  const text = typeof content === 'string' ? content : ((texts.join('\n\n') || textMember(value, 'text')) ?? '');
  const wrapped = parsed(text);
  const kind = member(wrapped, 'type');
  if (kind === 'user_message') return textMember(wrapped, 'message') ?? null;
  if (kind === 'heartbeat' || kind === 'login' || kind === 'system_alert') return null;
  const calls = listMember(value, 'tool_calls')
    .map((call) => member(call, 'function'))
    .filter((call) => member(call, 'name') === 'send_message')
    .map((call) => textMember(parsed(textMember(call, 'arguments') ?? ''), 'message') ?? '');
  const said = calls.filter((one) => one !== '').join('\n\n');
  return said !== '' ? said : text.trim() === '' ? null : text;
};

const MAX_WRAPPED = 1024 * 1024;

const parsed = (text: string): unknown => {
  if (!text.startsWith('{') || text.length > MAX_WRAPPED) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
