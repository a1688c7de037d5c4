import { useMemo, useState } from 'preact/hooks';
import type { AnswerOf, QueryOf } from '../../../../../client/client.ts';
import { Chips } from '../../kit/chips.tsx';
import { DownloadButton } from '../../kit/download-button.tsx';
import { Folded } from '../../kit/folded.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { Empty } from '../../kit/state.tsx';
import { useActions } from '../../kit/use-actions.tsx';
import { usePaged } from '../../kit/use-paged.ts';
import { VirtualRows } from '../../kit/virtual-rows.tsx';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { type Query, useAddress } from '../../shell/address.ts';
import { AuditFilters, FILTERS } from './audit-filters.tsx';
import { AuditLine } from './audit-line.tsx';
import { ChainCheck } from './chain-check.tsx';
import { groupEntries, isGroup, keyOfRow } from './group-entries.ts';
import { GroupLine } from './group-line.tsx';
import { UseOverTime } from './use-over-time.tsx';

export type Entry = AnswerOf<'GET /v1/audit'>['entries'][number];

const PAGE_ENTRIES = 200;
const FORMATS = ['csv', 'jsonl'] as const;

/** The audit log, newest first: all entries for readers with the permission, own entries for others. */
export const Audit = () => {
  const { client, texts, reader, setup, own } = useSession('audit');
  const { query, open } = useAddress();
  const isWhole = may(reader, 'admin', 'audit.read');
  const chips = FILTERS.flatMap((name) => {
    const value = query[name];
    return value ? [{ name, label: own.filters[name], value }] : [];
  });
  const filters = Object.fromEntries(chips.map(({ name, value }) => [name, value]));
  const change = (given: Query): void => open('audit', { ...query, ...given }, true);
  const entries = usePaged<Entry>(
    async (cursor, signal) => {
      const asked = { ...filters, limit: PAGE_ENTRIES, ...(cursor && { cursor }) };
      const page = await client.call('GET /v1/audit', { query: asked as QueryOf<'GET /v1/audit'>, signal });
      return { items: page.entries, cursor: page.cursor };
    },
    [JSON.stringify(chips)],
  );
  const actions = useActions(() => undefined);
  const [openGroups, setOpenGroups] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => groupEntries(entries.items, openGroups), [entries.items, openGroups]);
  const toggle = (key: string): void =>
    setOpenGroups((before) => new Set(before.has(key) ? [...before].filter((each) => each !== key) : [...before, key]));
  return (
    <>
      <ScreenHead title={texts.screens.audit}>
        {hasRoute(setup, 'GET /v1/audit/export') &&
          FORMATS.map((format) => (
            <DownloadButton
              key={format}
              label={own.exports[format]}
              fileName={`audit.${format}`}
              ask={(signal) =>
                client.open('GET', '/v1/audit/export', { query: { ...filters, format }, signal, timeoutMs: 0 })
              }
            />
          ))}
      </ScreenHead>
      <p class="lead">{isWhole ? own.leadWhole : own.leadOwn}</p>
      {isWhole && hasRoute(setup, 'GET /v1/audit/verify') && <ChainCheck />}
      {hasRoute(setup, 'GET /v1/audit/use') && <UseOverTime />}
      <Folded title={texts.filters.title}>
        <AuditFilters onAdd={(name, value) => change({ [name]: value })} />
      </Folded>
      <Chips chips={chips} onRemove={(name) => change({ [name]: undefined })} />
      {actions.view}
      <VirtualRows
        label={texts.screens.audit}
        paged={{ ...entries, items: rows }}
        keyOf={keyOfRow}
        empty={
          <Empty
            title={chips.length === 0 ? own.nothing : own.noMatch}
            hint={chips.length === 0 ? own.nothingHint : own.noMatchHint}
          />
        }
      >
        {(row) =>
          isGroup(row) ? (
            <GroupLine group={row} onToggle={() => toggle(row.key)} />
          ) : (
            <AuditLine entry={row} actions={actions} hasDetails={isWhole} />
          )
        }
      </VirtualRows>
    </>
  );
};
