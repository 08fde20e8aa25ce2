import CALSA

/// The sound cards that the kernel knows, and their PCMs, including those that ALSA's hints omit.
enum SoundCards {
    static func read() -> (count: Int, devices: [ListedDevice]) {
        var devices: [ListedDevice] = []
        var count = 0
        var card: CInt = -1
        // Fails if there is no /dev/snd at all.
        while snd_card_next(&card) >= 0, card >= 0 {
            count += 1
            let (found, _) = ALSAMessages.collecting { pcms(card) }
            // If the user may not query the card, the probe of its first PCM reports the reason.
            devices += found ?? [ListedDevice(name: "hw:\(card)")]
        }
        return (count, devices)
    }

    private static func pcms(_ card: CInt) -> [ListedDevice]? {
        var control: OpaquePointer?
        guard snd_ctl_open(&control, "hw:\(card)", CInt(SND_CTL_NONBLOCK)) >= 0, let control else { return nil }
        defer { snd_ctl_close(control) }
        var information: OpaquePointer?
        var pcmInformation: OpaquePointer?
        snd_ctl_card_info_malloc(&information)
        snd_pcm_info_malloc(&pcmInformation)
        defer {
            snd_ctl_card_info_free(information)
            snd_pcm_info_free(pcmInformation)
        }
        guard snd_ctl_card_info(control, information) >= 0 else { return nil }
        let id = String(cString: snd_ctl_card_info_get_id(information))
        let cardName = String(cString: snd_ctl_card_info_get_name(information))

        var devices: [ListedDevice] = []
        var number: CInt = -1
        while snd_ctl_pcm_next_device(control, &number) >= 0, number >= 0 {
            var device = ListedDevice(name: "hw:CARD=\(id),DEV=\(number)", directions: [])
            for direction in DeviceDirection.allCases {
                snd_pcm_info_set_device(pcmInformation, CUnsignedInt(number))
                snd_pcm_info_set_subdevice(pcmInformation, 0)
                snd_pcm_info_set_stream(pcmInformation, direction.stream)
                guard snd_ctl_pcm_info(control, pcmInformation) >= 0 else { continue }
                device.directions.append(direction)
                device.description = "\(cardName), \(String(cString: snd_pcm_info_get_name(pcmInformation)))"
            }
            if !device.directions.isEmpty { devices.append(device) }
        }
        return devices
    }
}
