/**
 * Builds rtnetlink(7) messages, with which the syscall helper configures network interfaces. All numbers are
 * in the machine's byte order, which is little-endian on every processor that the helper supports.
 */
import { INSIDE_PID, type SystemCall } from './calls.ts';

const RTM_NEWLINK = 16;
const RTM_DELLINK = 17;
const RTM_NEWADDR = 20;
const RTM_NEWROUTE = 24;
const RTM_DELROUTE = 25;
const RTM_NEWRULE = 32;
const RTM_DELRULE = 33;
/** A request that is answered with an error or with zero. */
const REQUEST = 0x1 | 0x4;
const CREATE = 0x400 | 0x200;
const REPLACE = 0x400 | 0x100;
const UP = 1;
const HEADER_BYTES = 16;
/** The offset of the interface number in a message about an address. */
const ADDRESS_INDEX = HEADER_BYTES + 4;

const IFLA_ADDRESS = 1;
const IFLA_IFNAME = 3;
const IFLA_MASTER = 10;
const IFLA_LINKINFO = 18;
const IFLA_NET_NS_PID = 19;
const IFLA_INFO_KIND = 1;
const IFLA_INFO_DATA = 2;
const VETH_INFO_PEER = 1;
const IFA_ADDRESS = 1;
const IFA_LOCAL = 2;
const RTA_DESTINATION = 1;
const RTA_INTERFACE = 4;
const RTA_GATEWAY = 5;
const RTA_TABLE = 15;
const FRA_FROM_INTERFACE = 3;
const FRA_PRIORITY = 6;
const FRA_TABLE = 15;
const AF_INET = 2;
const ROUTE_TABLE_MAIN = 254;
const ROUTE_BY_BOOT = 3;
const ROUTE_UNICAST = 1;
const ROUTE_UNREACHABLE = 7;
const SCOPE_LINK = 253;
const RULE_TO_TABLE = 1;
/** Before the machine's main table, and whatever other programs have put before that. */
const RULE_PRIORITY = 1000;

/**
 * Creates a veth pair: `here` on this side, switched on, and `there` in the network namespace of the process
 * inside. `ip`: the address that `there` will get.
 */
export function veth(socket: string, here: string, there: string, ip: string): SystemCall {
  const peer = Buffer.concat([
    linkHeader(0),
    attribute(IFLA_ADDRESS, hardwareAddress(ip)),
    attribute(IFLA_IFNAME, text(there)),
    attribute(IFLA_NET_NS_PID, uint32(0)),
  ]);
  const info = Buffer.concat([
    attribute(IFLA_INFO_KIND, text('veth')),
    attribute(IFLA_INFO_DATA, attribute(VETH_INFO_PEER, peer)),
  ]);
  const body = [linkHeader(UP), attribute(IFLA_IFNAME, text(here)), attribute(IFLA_LINKINFO, info)];
  const request = message(RTM_NEWLINK, CREATE, body);
  // The PID of that process is at the end of the message; the helper fills it in.
  return ['ask', socket, request, '', 0, request.length - 4, INSIDE_PID];
}

/** Switches an interface on, after attaching it to the bridge if one is given. */
export function linkUp(socket: string, name: string, bridgeIndex?: number): SystemCall {
  const master = bridgeIndex === undefined ? [] : [attribute(IFLA_MASTER, uint32(bridgeIndex))];
  const body = [linkHeader(UP), attribute(IFLA_IFNAME, text(name)), ...master];
  return ['ask', socket, message(RTM_NEWLINK, 0, body)];
}

/**
 * Creates a bridge with a fixed hardware address. Without one, a bridge takes the lowest address of its
 * ports, which changes when pods start and stop: for seconds, other pods would still send to the old address.
 * `ip`: the address that the bridge will get.
 */
export function bridge(socket: string, name: string, ip: string): SystemCall {
  const info = attribute(IFLA_INFO_KIND, text('bridge'));
  const body = [
    linkHeader(UP),
    attribute(IFLA_ADDRESS, hardwareAddress(ip)),
    attribute(IFLA_IFNAME, text(name)),
    attribute(IFLA_LINKINFO, info),
  ];
  return ['ask', socket, message(RTM_NEWLINK, CREATE, body)];
}

export function deleteLink(socket: string, name: string): SystemCall {
  return [
    'ask',
    socket,
    message(RTM_DELLINK, 0, [linkHeader(0), attribute(IFLA_IFNAME, text(name))]),
  ];
}

/** Adds an address to an interface, unless it has the address already. */
export function address(socket: string, name: string, ip: string, prefix: number): SystemCall {
  // The helper fills in the index of the interface.
  const header = Buffer.from([AF_INET, prefix, 0, 0, 0, 0, 0, 0]);
  const body = [header, attribute(IFA_LOCAL, octets(ip)), attribute(IFA_ADDRESS, octets(ip))];
  return ['ask', socket, message(RTM_NEWADDR, REPLACE, body), name, ADDRESS_INDEX];
}

export function defaultRoute(socket: string, gateway: string): SystemCall {
  const header = Buffer.alloc(12);
  header.set([AF_INET, 0, 0, 0, ROUTE_TABLE_MAIN, ROUTE_BY_BOOT, 0, ROUTE_UNICAST]);
  return [
    'ask',
    socket,
    message(RTM_NEWROUTE, CREATE, [header, attribute(RTA_GATEWAY, octets(gateway))]),
  ];
}

/** Packets that come from this interface are routed by this table alone. */
export function tableRule(socket: string, from: string, table: number): SystemCall {
  return ['ask', socket, message(RTM_NEWRULE, CREATE, ruleBody(from, table))];
}

export function deleteRule(socket: string, from: string, table: number): SystemCall {
  return ['ask', socket, message(RTM_DELRULE, 0, ruleBody(from, table))];
}

/** `subnet`, such as 10.1.2.0/24, is behind the interface. An existing route is replaced. */
export function subnetRoute(
  socket: string,
  table: number,
  subnet: string,
  name: string,
): SystemCall {
  const body = routeBody(table, subnet, { scope: SCOPE_LINK, type: ROUTE_UNICAST });
  const request = message(RTM_NEWROUTE, REPLACE, [...body, attribute(RTA_INTERFACE, uint32(0))]);
  // The helper fills in the number of the interface, which is at the end.
  return ['ask', socket, request, name, request.length - 4];
}

/** What no other route of the table leads to. */
export function unreachableRoute(socket: string, table: number): SystemCall {
  const body = routeBody(table, null, { scope: 0, type: ROUTE_UNREACHABLE });
  return ['ask', socket, message(RTM_NEWROUTE, REPLACE, body)];
}

/** `subnet` is null: the one for everything else. */
export function deleteRoute(socket: string, table: number, subnet: string | null): SystemCall {
  const body = routeBody(table, subnet, { scope: ANY_SCOPE, type: 0 });
  return ['ask', socket, message(RTM_DELROUTE, 0, body)];
}

const ANY_SCOPE = 255;

function routeBody(
  table: number,
  subnet: string | null,
  { scope, type }: { readonly scope: number; readonly type: number },
): readonly Buffer[] {
  const [ip = '', prefix = '0'] = subnet?.split('/') ?? [];
  const header = Buffer.alloc(12);
  header.set([AF_INET, Number(prefix), 0, 0, 0, type === 0 ? 0 : ROUTE_BY_BOOT, scope, type]);
  const to = subnet === null ? [] : [attribute(RTA_DESTINATION, octets(ip))];
  return [header, ...to, attribute(RTA_TABLE, uint32(table))];
}

function ruleBody(from: string, table: number): readonly Buffer[] {
  const header = Buffer.alloc(12);
  header.set([AF_INET, 0, 0, 0, 0, 0, 0, RULE_TO_TABLE]);
  return [
    header,
    attribute(FRA_FROM_INTERFACE, text(from)),
    attribute(FRA_PRIORITY, uint32(RULE_PRIORITY)),
    attribute(FRA_TABLE, uint32(table)),
  ];
}

function message(type: number, flags: number, body: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(body);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(HEADER_BYTES + bytes.length, 0);
  header.writeUInt16LE(type, 4);
  header.writeUInt16LE(REQUEST | flags, 6);
  header.writeUInt32LE(1, 8);
  return Buffer.concat([header, bytes]);
}

function linkHeader(flags: number): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32LE(flags, 8);
  // The mask of the flags to change.
  header.writeUInt32LE(flags, 12);
  return header;
}

/** An attribute: length, type and value, padded to four bytes. */
function attribute(type: number, value: Uint8Array): Buffer {
  const length = 4 + value.length;
  const bytes = Buffer.alloc(Math.ceil(length / 4) * 4);
  bytes.writeUInt16LE(length, 0);
  bytes.writeUInt16LE(type, 2);
  bytes.set(value, 4);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Derived from the IP, as in CNI plugins, so that ARP caches stay valid for the next pod with this IP. */
function hardwareAddress(ip: string): Buffer {
  return Buffer.concat([Buffer.from([0x0a, 0x58]), octets(ip)]);
}

function octets(ip: string): Buffer {
  return Buffer.from(ip.split('.').map(Number));
}
