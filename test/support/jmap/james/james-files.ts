import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tlsIdentity } from '../../tls-identity.js';

export interface JamesPorts {
  jmap: number;
  admin: number;
  management: number;
}

const properties = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

const mailet = (match: string, name: string, inner = ''): string =>
  `<mailet match="${match}" class="${name}"><onMailetException>ignore</onMailetException>${inner}</mailet>`;
const goOn = (match: string, state: string): string =>
  mailet(match, 'ToProcessor', `<processor>${state}</processor>`);
const processor = (state: string, ...mailets: string[]): string =>
  `<processor state="${state}">${mailets.join('')}</processor>`;

/** The way of a message: it comes to those of its recipients who are here, and for the others its sender gets a report. */
const mailets = `<mailetcontainer enableJmx="false">
  <context><postmaster>postmaster@example.test</postmaster></context>
  <spooler><threads>4</threads><errorRepository>memory://var/mail/error/</errorRepository></spooler>
  <processors>
    ${processor('root', goOn('All', 'transport'))}
    ${processor('error', mailet('All', 'ToRepository', '<repositoryPath>memory://var/mail/error/</repositoryPath>'))}
    ${processor(
      'transport',
      mailet('All', 'RemoveMimeHeader', '<name>bcc</name>'),
      goOn('RecipientIsLocal', 'local-delivery'),
      mailet('All', 'Bounce', '<attachment>none</attachment>'),
      mailet('All', 'Null'),
    )}
    ${processor(
      'local-delivery',
      // JMAP does not start without these two.
      mailet('All', 'VacationMailet'),
      mailet('All', 'org.apache.james.jmap.mailet.filter.JMAPFiltering'),
      mailet('All', 'LocalDelivery'),
    )}
    ${processor('bounces', mailet('All', 'Null'))}
  </processors>
</mailetcontainer>
`;

/** Writes what the server reads at its start, into a folder `conf` of that one. */
export async function writeJamesFiles(folder: string, ports: JamesPorts, uploadMb: number): Promise<void> {
  const conf = join(folder, 'conf');
  mkdirSync(conf);
  const { key, cert } = await tlsIdentity('localhost');
  const none = ['imap', 'pop3', 'lmtp', 'managesieve', 'smtp'].map((name) => [
    `${name}server.xml`,
    `<${name}servers/>`,
  ]);
  const files = {
    'jmap.properties': properties({
      enabled: 'true',
      'jmap.port': ports.jmap,
      'url.prefix': `http://127.0.0.1:${ports.jmap}`,
      'jmap.version.default': 'rfc-8621',
      'upload.max.size': `${uploadMb}M`,
      // It signs tokens with them, which nobody asks for here.
      'tls.privateKey': 'file://conf/key.pem',
      'tls.certificates': 'file://conf/cert.pem',
    }),
    'webadmin.properties': properties({ enabled: 'true', port: ports.admin, host: '127.0.0.1' }),
    'jmx.properties': properties({ 'jmx.address': '127.0.0.1', 'jmx.port': ports.management }),
    'mailetcontainer.xml': mailets,
    'mailrepositorystore.xml':
      '<mailrepositorystore><defaultProtocol>memory</defaultProtocol><mailrepositories><mailrepository class="org.apache.james.mailrepository.memory.MemoryMailRepository"><protocols><protocol>memory</protocol></protocols></mailrepository></mailrepositories></mailrepositorystore>',
    'domainlist.xml':
      '<domainlist><autodetect>false</autodetect><autodetectIP>false</autodetectIP><defaultDomain>example.test</defaultDomain></domainlist>',
    'usersrepository.xml':
      '<usersrepository><algorithm>SHA-512</algorithm><enableVirtualHosting>true</enableVirtualHosting></usersrepository>',
    'logback.xml':
      '<configuration><appender name="OUT" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%level %logger{20} %msg%n%ex</pattern></encoder></appender><root level="WARN"><appender-ref ref="OUT"/></root></configuration>',
    'key.pem': key,
    'cert.pem': cert,
    ...(Object.fromEntries(none) as Record<string, string>),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(conf, name), text);
}
