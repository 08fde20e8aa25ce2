// The live half: microphone to frames, payloads to loudspeaker.
import EarshotModem
