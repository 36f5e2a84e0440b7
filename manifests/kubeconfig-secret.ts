/** Types of Secrets that never hold a kubeconfig and are often large or many. */
const ELSEWHERE = /^(helm\.sh\/|kubernetes\.io\/(service-account-token|tls|dockercfg|dockerconfigjson)$)/

/** Whether a kubeconfig is looked for in Secrets of this type; of others Kairship reads only the metadata. */
export const mayHoldKubeconfig = (type: string | undefined): boolean => !ELSEWHERE.test(type ?? '')

/** The key of a kubeconfig in a Secret, unless the reference names another. */
export const KUBECONFIG_KEY = 'kubeconfig'
