/** The adapters by the name that the head of a route table gives; a table that names none has no words of its own (SPEC 20). */
import { NO_ADAPTER } from '../access/no-adapter.ts';
import type { NvrAdapter } from '../access/nvr-adapter.ts';
import { FRIGATE } from './frigate/frigate.ts';

const ADAPTERS: readonly NvrAdapter[] = [FRIGATE];

export const ADAPTER_NAMES: readonly string[] = ADAPTERS.map(({ name }) => name);

/** Undefined and an unknown name are those of no adapter: what needs one is denied. */
export const adapterNamed = (name: string | undefined): NvrAdapter =>
  ADAPTERS.find((adapter) => adapter.name === name) ?? NO_ADAPTER;
